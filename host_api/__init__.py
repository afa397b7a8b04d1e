"""The host side: acl runtime, aclnn two-phase calls, operators on NumPy arrays, command line."""
