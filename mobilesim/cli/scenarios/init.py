"""`mobilesim init`: a scenario to start from."""

import argparse
from typing import Final

from mobilesim.cli.arguments import check_output, local_path
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.files.atomic_write import save_text

HELP = "write a scenario file to start from, with defaults and explanations"

EPILOG = """\
examples:
  mobilesim init                 write scenario.yaml here
  mobilesim init mine.yaml       write mine.yaml
  mobilesim init all.yaml --full write every key, not only the usual keys
"""

_FILE: Final = "scenario.yaml"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", default=_FILE, metavar="FILE", help=f"default: {_FILE}")
    parser.add_argument("--full", action="store_true", help="write every key (default: the usual keys)")
    parser.add_argument("--force", action="store_true", help="replace FILE if it exists")


def run(args: argparse.Namespace) -> int:
    from mobilesim.scenario.template import short_template, template

    path = local_path(args.file)
    check_output(path, replace=args.force)
    save_text(path, template() if args.full else short_template())
    print(f"wrote {path}; now try: mobilesim run {path}")
    return ExitCode.OK
