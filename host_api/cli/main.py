"""Entry point and the errors it turns into exit codes."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Any

import click

from emulator.errors import EmulatorError
from host_api.errors import AclError
from tiling import TilingError

USER_ERROR = 2


class _Group(click.Group):
    """A group whose commands end with one line instead of a traceback when they refuse something."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (EmulatorError, TilingError, AclError) as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(USER_ERROR)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("aivemu"), prog_name="aivemu")
def main() -> None:
    """Emulate the AI Vector cores of Ascend NPUs."""


def _register() -> None:
    from host_api.cli.bench import bench
    from host_api.cli.demo import demo
    from host_api.cli.info import info
    from host_api.cli.run import run

    for command in (run, bench, demo, info):
        main.add_command(command)


_register()
