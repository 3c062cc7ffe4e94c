"""`mobilesim sweep`: a scenario at every point of a grid or of another design, under every protocol."""

import argparse
from typing import Final

from mobilesim.cli.arguments import add_overrides, overrides
from mobilesim.cli.sweep_execution import add_options, list_instead, run_sweep

HELP: Final = "run a scenario at every point of a grid or of another design under every protocol, and compare"

DESCRIPTION: Final = """\
Runs every protocol at every point of a sweep, in every replication, as Spark tasks; all points and protocols use the
same random numbers. Every run is checked and written as `mobilesim run` does; then all runs are summarized.

  mobilesim sweep sweeps/mobility                a bundled sweep
  mobilesim sweep mine.yaml --dry-run            its points and runs, and which runs are complete
  mobilesim sweep mine.yaml --quick              first and last value of every axis, short runs, at most 2 replications
  mobilesim sweep mine.yaml --set duration='10 s'
  mobilesim sweep large.yaml --master spark://HOST:7077
  mobilesim sweep                                list the bundled sweeps

A sweep file has a scenario and the keys that vary:

  scenario: quickstart              # a bundled scenario, a file, or the keys of a scenario
  set: {messages: 2000}             # settings for all points
  vary:                             # a grid of all combinations; any key of a scenario, by its path
    mobility.dwell: [1 s, 5 s]
    hosts: {from: 10, to: 40, step: 10}
  protocols: [av1, av2]             # instead of the scenario's
  replications: 5                   # or {until: {delay: 5 %}}: until the 95% interval has this half-width

`design`, like {kind: sobol, points: 64}, chooses other points than a grid: latin-hypercube, sobol, random,
one-at-a-time, or sobol-indices. `refine` adds points where two protocols cross. docs/sweeps.md describes all keys.

A finished run is never repeated: after Ctrl-C, a crash, or with more points or replications in the file, the same
command continues. A failed run is recorded and tried again by the next command. The workers of a cluster need mobilesim
installed, and the results directory under the same path; or DIR is an address that all of them reach, such as
s3://BUCKET/PREFIX. At the end, the many small files of all runs are packed into a few.

exit status: 0 every protocol kept its claims, 1 one did not or a run failed, 2 bad input, 130 Ctrl-C (finished runs are
kept)"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    about = "a YAML file, or the name of a bundled sweep (default: list the bundled ones)"
    parser.add_argument("sweep", nargs="?", help=about)
    add_overrides(parser, "override a key of the scenario, or protocols or replications; may be given again")
    add_options(parser, "results/NAME")


def run(args: argparse.Namespace) -> int:
    from mobilesim.scenario.bundled import SWEEPS, find_sweep
    from mobilesim.scenario.sweeps.sweep_file import load

    if args.sweep is None:
        return list_instead(args, SWEEPS, ("set",))
    return run_sweep(load(find_sweep(args.sweep), overrides(args.set), quick=args.quick), args)
