"""`mobilesim schema`: the JSON Schema by which editors complete and check scenario files."""

import argparse

NAME = "schema"
HELP = "print the JSON Schema of scenario files, for editors"

_EXAMPLES = """\
example:
  mobilesim schema > scenario.schema.json

Editors with the YAML language server read it where a scenario's first line says
  # yaml-language-server: $schema=scenario.schema.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES


def run(_args: argparse.Namespace) -> int:
    import json

    from mobilesim.scenario.schema import schema

    print(json.dumps(schema(), indent=2, ensure_ascii=False))
    return 0
