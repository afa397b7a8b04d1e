"""The jitted engine: lanes, copies, vector functions and the pipe scheduler.

Importing it imports Numba; the rest of the emulator does so only when something runs.
"""
