"""`mobilesim map`: draw the cells of a scenario and the paths of its hosts."""

import argparse
from pathlib import Path
from typing import Final

from mobilesim.cli import scenario_options
from mobilesim.cli.arguments import check_output, local_path
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.errors import UserError
from mobilesim.files.atomic_write import save_text

HELP: Final = "draw a scenario's cells and the paths of its hosts, as SVG"

_HOSTS: Final = 5

DESCRIPTION: Final = """\
Draws the cells of a scenario with their stations, ranges and backbone, and the paths of hosts. No protocol runs, since
movement does not depend on the protocol.

  mobilesim map quickstart                                 quickstart.svg, with the first 5 hosts
  mobilesim map mine.yaml --hosts 1 --duration 10min       one host, for another duration
  mobilesim map mine.yaml --hosts 0 -o cells.svg           the cells alone
  mobilesim map mine.yaml --set cells.radius='300 m'       a smaller range

The same scenario always gives the same file."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("scenario", help="a YAML file, or the name of a bundled scenario")
    add("-o", "--out", type=local_path, metavar="FILE.svg", help="default: NAME.svg, NAME as in the scenario")
    add("--hosts", type=int, metavar="N", help=f"the paths of the first N hosts (default: {_HOSTS}, or all if fewer)")
    scenario_options.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    from mobilesim.drawing.scenario_map import picture
    from mobilesim.world.replication import build_world

    scenario = scenario_options.load_scenario(args, args.scenario)
    out = args.out or Path(f"{scenario.name}.svg")
    hosts, until = scenario_options.host_count(args, scenario, _HOSTS), scenario_options.duration_of(scenario)
    _write(out, picture(build_world(scenario, args.replication), hosts, until))
    print(f"drew {out}")
    return ExitCode.OK


def _write(path: Path, drawn: str) -> None:
    """Write the picture. Existing files are replaced only if mobilesim has drawn them."""
    from mobilesim.drawing.canvas import MADE

    check_output(path, replace=True, name="name a file to write with -o")
    try:
        if path.exists() and not path.read_bytes().startswith(MADE.encode()):
            raise UserError(f"{path}: mobilesim has not drawn this file; name another file with -o")
        if path.suffix.lower() != ".svg":
            raise UserError(f"{path}: pictures are SVG; name it {path.with_suffix('.svg').name}")
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None
    save_text(path, drawn)
