"""`mobilesim schema`: the JSON Schemas with which editors complete and check scenario files and sweep files."""

import argparse

from mobilesim.api.text_tables import as_json
from mobilesim.cli.arguments import print_unreadable_packages
from mobilesim.cli.exit_codes import ExitCode

HELP = "print the JSON Schema of scenario or sweep files, for editors"

EPILOG = """\
examples:
  mobilesim schema > scenario.schema.json
  mobilesim schema sweep > sweep.schema.json

Editors with the YAML language server read the schema if the first line of a scenario is
  # yaml-language-server: $schema=scenario.schema.json
and the first line of a sweep
  # yaml-language-server: $schema=sweep.schema.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    about = "the kind of files (default: scenario)"
    parser.add_argument("kind", nargs="?", choices=("scenario", "sweep"), default="scenario", help=about)


def run(args: argparse.Namespace) -> int:
    from mobilesim.scenario import json_schema
    from mobilesim.scenario.sweeps import json_schema as sweep_schema

    print(as_json((sweep_schema if args.kind == "sweep" else json_schema).schema()))
    print_unreadable_packages()
    return ExitCode.OK
