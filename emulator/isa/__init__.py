"""The instruction set: records, the table that holds them, and how instructions lie in memory."""
