"""`mobilesim what-if`: compare a scenario with variants of it, on the same random numbers."""

import argparse
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from mobilesim.cli.arguments import overrides, repeated_key, settings
from mobilesim.cli.sweep_execution import add_options, list_instead, run_sweep
from mobilesim.errors import UserError

if TYPE_CHECKING:
    from mobilesim.scenario.loader import Change
    from mobilesim.scenario.sweeps.sweep_file import Sweep

HELP: Final = "run a scenario and variants of it on the same random numbers, and compare"

DESCRIPTION: Final = """\
Runs a scenario without changes (the base) and with the changes of one or several variants. In a replication, all of
them use the same random numbers (common random numbers), so that differences have smaller confidence intervals than
means. Each difference comes with a 95% confidence interval over pairs of runs, and each variant with the first event at
which its run differs from the base.

  mobilesim what-if quickstart --set wireless.bandwidth='256 kbit/s'
  mobilesim what-if quickstart --protocol av1 --set protocol=av2
  mobilesim what-if quickstart --variant 'slow: wireless.bandwidth=256 kbit/s' --variant 'ring: backbone.topology=ring'
  mobilesim what-if quickstart --base hosts=20 --set mobility.dwell='exponential 1 s' --quick
  mobilesim what-if quickstart --set 'mobility={model: waypoint}'      a whole section, for another mobility model
  mobilesim what-if slow-air                     a bundled study
  mobilesim what-if mine.yaml                    a study of your own:

  scenario: quickstart              # a bundled scenario, a file, or the keys of a scenario
  variants:                         # the changes of each variant; the key `protocol` replaces all protocols
    slow: {wireless.bandwidth: 256 kbit/s}
    ring: {backbone.topology: ring}
  replications: 10                  # default: those of the scenario, at least 10

All --set options together are one variant. A study is a sweep with one axis, the variants: finished runs are never
repeated, and `mobilesim summarize DIR` prints the comparison again.

exit status: 0 every protocol kept its claims, 1 one did not or a run failed, 2 bad input, 130 Ctrl-C (finished runs are
kept)"""

_WRITE: Final = "write NAME: KEY=VALUE, like --variant 'slow: wireless.bandwidth=256 kbit/s'"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    about = "a YAML file of a scenario or of a study, or the name of a bundled one (default: list the bundled studies)"
    add("scenario", nargs="?", help=about)
    for option, shape, about in (
        ("--set", "KEY=VALUE", "a change of the variant; may be given again"),
        ("--variant", "NAME: KEY=VALUE", "a named variant; may be given again, with the same name for more keys"),
        ("--base", "KEY=VALUE", "override a key of the base, and of all variants that do not change it"),
    ):
        add(option, action="append", default=[], metavar=shape, help=about)
    add("--protocol", nargs="+", metavar="NAME", help="run these instead of the scenario's protocols")
    add("--replications", help="number of replications (default: that of the scenario, at least 10)")
    add_options(parser, "results/NAME for a study, else results/SCENARIO-VARIANTS, like results/quickstart-hosts-20")


def run(args: argparse.Namespace) -> int:
    if args.scenario is None:
        from mobilesim.scenario.bundled import STUDIES

        return list_instead(args, STUDIES, ("set", "variant", "base", "protocol", "replications"))
    return run_sweep(_study(args), args)


def _study(args: argparse.Namespace) -> "Sweep":
    from mobilesim.scenario.bundled import find_study
    from mobilesim.scenario.loader import load as load_scenario
    from mobilesim.scenario.sweeps.sweep_file import is_sweep, load, of
    from mobilesim.scenario.values.fields import NAME_LENGTH

    path, given, base = find_study(args.scenario), _given(args), settings(args, args.base, "--base")
    if is_sweep(path):
        study = load(path, base, quick=args.quick, given=given)
    elif given:
        name = f"{path.stem}, {' or '.join(given)}"[:NAME_LENGTH]
        study = of(path, name, base, quick=args.quick, given=given)
    else:
        load_scenario(path, base)  # mistakes in the scenario are reported first
        raise UserError(f"{args.scenario}: there is no variant; write --set KEY=VALUE, or a study file with 'variants'")
    if not study.variants:
        raise UserError(f"{path}: there are no 'variants' in this sweep; `mobilesim sweep` runs it")
    return study


def _given(args: argparse.Namespace) -> "dict[str, dict[str, Change]]":
    from mobilesim.scenario.sweeps.variants import LONGEST

    variants: dict[str, dict[str, Change]] = {}
    if args.set:
        changes = overrides(args.set)
        name = ", ".join(f"{key}={text.strip()}" for key, text in changes.items())
        variants[name[:LONGEST].strip()] = _changes(changes, "--set")
    for written in args.variant:
        name, changes = _variant(written)
        own = variants.setdefault(name, {})
        for key, change in _changes(changes, f"--variant {name}:").items():
            if key in own:
                raise UserError(repeated_key(change.where))
            own[key] = change
    return variants


def _variant(written: str) -> tuple[str, dict[str, str]]:
    from mobilesim.scenario.sweeps.variants import fault_of_name

    name, colon, rest = (part.strip() for part in written.partition(":"))
    if not colon or "=" in name:
        raise UserError(f"--variant {written}: {_WRITE}")
    if fault := fault_of_name(name):
        raise UserError(f"--variant {written}: {fault}")
    return name, overrides(re.split(r",\s*(?=[a-z_]+(?:\.[a-z_]+)*=)", rest), f"--variant {name}:")


def _changes(texts: Mapping[str, str], option: str) -> "dict[str, Change]":
    from mobilesim.scenario.loader import Change
    from mobilesim.scenario.sweeps.variants import PROTOCOLS, unchangeable

    found = {}
    for key, text in texts.items():
        if reason := unchangeable(key, texts):
            raise UserError(f"{option} {key}: {reason}")
        name, setting = (PROTOCOLS, f"[{text}]") if key == "protocol" else (key, text)
        found[name] = Change(setting, f"{option} {key}")
    return found
