"""The command ``aivemu``."""

from host_api.cli.main import main

__all__ = ["main"]
