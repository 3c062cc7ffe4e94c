"""`python -m benchmarks.growth_point moving|still POINT` runs a point of `benchmarks.growth`, and prints JSON.

POINT is a JSON object with the fields of a point. Modules are imported where Ctrl-C is caught.
"""

import json
import sys


def main(movement: str, point: str) -> None:
    from benchmarks.growth_points import Point
    from benchmarks.growth_run import measure

    print(json.dumps(measure(Point(**json.loads(point)), moving=movement == "moving")))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
