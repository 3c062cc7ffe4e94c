"""`mobilesim summarize`: summarize a results directory by protocol."""

import argparse
from typing import Final

from mobilesim.api.summary_text import summary_text
from mobilesim.api.text_tables import as_json
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.cli.sweep_execution import print_view

HELP: Final = "summarize a results directory, check its delays, write the report"

DESCRIPTION: Final = """\
Reads the tables that `mobilesim run` has written, and writes summary/ (Parquet and CSV) and report.html into the same
directory. Means and percentiles come with 95% intervals over replications; a single replication has none.
Means and percentiles use the complete runs of a protocol, or its interrupted or failed runs if none is complete.

  mobilesim summarize results/quickstart
  mobilesim summarize results/quickstart --json --no-report
  mobilesim summarize results/large --master spark://HOST:7077

For the directory of a sweep, all complete runs are summarized point by point: a table of each mean over the varied
keys, differences between protocols by pairs of runs, and curves in the report.

  mobilesim summarize results/mobility

For a protocol that claims no causal order, the verdict `correct, not causal` means that the protocol kept its claims,
and that causal violations occurred; `correct, no reordering occurred` means that the scenario does not test causal
order. `no deliveries, nothing checked` means that no message was delivered, for example in a too short run.

Java is bundled with mobilesim; a JAVA_HOME with a sufficient version is used instead. The workers of a cluster need
mobilesim installed, and the results directory under the same path, or at an address that all of them reach, such as
s3://BUCKET/PREFIX.

exit status: 0 no fault, 1 the parts of a delay do not add up, a protocol broke a claim or a run of a sweep failed,
2 bad input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", help="results directory of `mobilesim run` or `mobilesim sweep`, or its address")
    parser.add_argument("--master", metavar="URL", help="the Spark master (default: this machine, all of its cores)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    about = "read all tables of a sweep again, instead of the numbers that its runs have recorded"
    parser.add_argument("--from-tables", action="store_true", help=about)
    parser.add_argument("--no-report", action="store_true", help="draw no report.html")


def run(args: argparse.Namespace) -> int:
    from mobilesim.analysis.pipeline.summarize import summarize_run, summarize_sweep
    from mobilesim.analysis.summary.tables import document
    from mobilesim.analysis.sweeps.reader import is_sweep
    from mobilesim.api.progress import Progress
    from mobilesim.results.location import checked_location

    directory, progress = checked_location(args.results), Progress(quiet=args.json).show_stage
    if is_sweep(directory):
        sweep = summarize_sweep(
            directory, args.master, report=not args.no_report, progress=progress, from_tables=args.from_tables
        )
        print_view(sweep, args)
        return ExitCode.OK if sweep.sound else ExitCode.FAULT
    summary = summarize_run(directory, args.master, report=not args.no_report, progress=progress)
    print(as_json(document(summary)) if args.json else summary_text(summary))
    return ExitCode.OK if summary.sound else ExitCode.FAULT
