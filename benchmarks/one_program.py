"""`python -m benchmarks.one_program NAME MESSAGES` measures one program once. It prints result and core as JSON.

Modules are imported where Ctrl-C is caught.
"""

import json
import sys
from dataclasses import asdict


def main(name: str, messages: str) -> None:
    from benchmarks.fresh_process import cores
    from benchmarks.programs import PROGRAMS

    print(json.dumps({"core": cores()[0], **asdict(PROGRAMS[name](int(messages)))}))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
