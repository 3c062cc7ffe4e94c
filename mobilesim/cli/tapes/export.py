"""`mobilesim export`: write a tape in the format of another program."""

import argparse
from typing import Final

from mobilesim.cli.tapes.tape_arguments import add_output, add_part, tape_and_target

HELP: Final = "write the events of a run for ShiViz, Perfetto, a spreadsheet or a graph library"

DESCRIPTION: Final = """\
Replays a run of a results directory, or reads a tape, and writes its events in the format of another program:

  shiviz    a log with vector clocks, which ShiViz draws as a space-time diagram (up to 20,000 events)
  perfetto  a trace in the JSON format of Chrome, for Perfetto and chrome://tracing (up to 500,000 events)
  csv       a row for each event
  graphml   the graph of what happened before what, for networkx, Gephi and others (up to 200,000 events)

  mobilesim export results/q --to perfetto --protocol av2 --from 10s --until 20s
  mobilesim export counter-example.tape --to shiviz

A part of the run is chosen with --from and --until. A longer part than a program can show is refused.

exit status: 0 success, 2 bad input, 130 Ctrl-C"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("source", metavar="DIR|TAPE", help="results directory of `mobilesim run`, or a tape")
    formats = ("shiviz", "perfetto", "csv", "graphml")
    add("--to", dest="format", choices=formats, required=True, help="the format")
    add_part(parser, "--until")
    add_output(parser, "FILE", "a name with the scenario and the protocol")


def run(args: argparse.Namespace) -> int:
    from mobilesim.tape.exports.formats import FORMATS

    tape, target = tape_and_target(args, FORMATS[args.format].suffix)
    print(f"{args.format}: {tape.export(args.format, target)}")
    return 0
