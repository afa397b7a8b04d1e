"""SoftplusV2Grad (aclnnSoftplusBackward) as CANN's ops-nn defines it."""
