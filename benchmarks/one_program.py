"""`python -m benchmarks.one_program NAME MESSAGES` measures one program once and prints it, and the core, as JSON."""

import json
import sys
from dataclasses import asdict

from benchmarks.fresh_process import cores
from benchmarks.programs import PROGRAMS


def main(name: str, messages: str) -> None:
    print(json.dumps({"core": cores()[0], **asdict(PROGRAMS[name](int(messages)))}))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
