"""The report on a run: one HTML file, from a summary."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from mobilesim.analysis.figures import clock_figures, run_figures
from mobilesim.analysis.figures.figure import Figure
from mobilesim.analysis.figures.style import Legend
from mobilesim.analysis.report import elements, narrative, tables
from mobilesim.analysis.report.answer import answer
from mobilesim.analysis.report.elements import (
    capitalized,
    chip,
    definitions,
    folded,
    glossary,
    place,
    place_group,
    verdicts,
)
from mobilesim.analysis.report.page_template import Section, render_page, reproduction
from mobilesim.analysis.report.resources import EXPLANATIONS
from mobilesim.analysis.summary.formatting import duration, intervals, listing, number
from mobilesim.analysis.summary.model import Correctness, Experiment, ProtocolSummary, Summary
from mobilesim.analysis.summary.verdict_text import verdict
from mobilesim.errors import counted
from mobilesim.results.quantities import DELAY_PARTS

CHECKER: Final = "An independent checker (the oracle), with code that no protocol uses, verified every delivery."

_MOBILE: Final = "Hosts send each other messages while they move between cells"
_STATIC: Final = "Hosts that do not move send each other messages over a complete network"
_WINDOW: Final = (
    "Means and percentiles cover the measurement window, {}: the deliveries, the bytes and the energy in it, and the "
    "hand-offs and disconnections that began in it. Earlier and later deliveries were only checked."
)
_WHOLE: Final = (
    "Means and percentiles cover the whole run, without a warm-up. They include the start, when the network is still "
    "empty, and the end, when hosts have stopped sending and the last messages are delivered."
)


def page(summary: Summary, first: Sequence[Section] = (), results: Sequence[str] = ()) -> str:
    """Return the report. `first`: additional sections. `results`: additional sentences at the beginning."""
    title = f"{summary.experiment.scenario}: the cost of causal order"
    sections = [*first, protocol_section(summary.protocols), _correctness(summary), *_sections(summary)]
    return render_page(title, _lead(summary.experiment), sections, [*results, *answer(summary)])


def _sections(summary: Summary) -> Iterator[Section]:
    protocols = summary.protocols
    yield _key_figures(summary)
    figure, table = run_figures.breakdown(protocols, summary.parts), tables.parts_table(summary)
    yield _section("Where the time goes", narrative.breakdown(protocols), [figure], table)
    figures, legend = run_figures.distribution(protocols), run_figures.distribution_legend(protocols)
    table = tables.distribution_table(protocols)
    yield _section("Distribution of delays", narrative.distribution(protocols), figures, table, legend=legend)
    if summary.has_handoffs:
        figures = (run_figures.handoff_times(protocols), run_figures.stages(protocols))
        yield _section("Hand-offs", narrative.handoffs(protocols), figures, tables.handoff_table(protocols))
    figures, table = run_figures.traffic(protocols), tables.traffic_table(protocols)
    kind = "" if summary.experiment.stations else " in a static network"
    yield _section("Bytes per delivery", narrative.traffic(protocols), figures, table, kind=kind)
    if summary.has_energy:
        figures, table = run_figures.energy(protocols), tables.energy_table(protocols)
        yield _section("Energy per delivery", narrative.energy(protocols), figures, table)
    if lifetimes := narrative.batteries(protocols):
        yield _section("Battery lifetime", " ".join(lifetimes), table=tables.battery_table(protocols))
    table = tables.inhibition_table(protocols)
    yield _section("Unnecessary delay", narrative.inhibition(protocols), [run_figures.inhibition(protocols)], table)
    if text := narrative.disconnections(protocols):
        yield _section("Disconnections", text, table=tables.disconnection_table(protocols))
    if text := narrative.storage(protocols):
        yield _section("Storage at stations", text, table=tables.storage_table(protocols))
    if answers := narrative.clocks(protocols):
        figures, table = clock_figures.wrong_answers(protocols), tables.clock_table(protocols)
        yield _section("Passive clocks", " ".join(answers), figures, table)
    yield _definitions(summary)
    yield _reproduce(summary.experiment)


def _section(
    title: str, sentence: str, figures: Sequence[Figure] = (), table: str = "", *, kind: str = "", legend: Legend = ()
) -> Section:
    """Return a section. `kind`: the kind of its explanation. `legend`: the common legend of the figures."""
    alone = len(figures) == 1
    drawn = place(figures[0]) if alone else place_group(figures, legend) if figures else ""
    body = drawn + (folded("Table", table) if figures else table)
    return Section(title, sentence, body=body, about=EXPLANATIONS[f"{title}{kind}"], placed=tuple(figures))


def _lead(experiment: Experiment) -> str:
    hosts, same = (_MOBILE, "movement") if experiment.stations else (_STATIC, "delays")
    size = f"{counted(experiment.hosts, 'host')}"
    size += f", {counted(experiment.stations, 'station')}" if experiment.stations else ""
    length = f"{duration(experiment.simulated)} of simulated time, {counted(experiment.replications, 'replication')}"
    length += "" if experiment.window is None else f", measured {experiment.window}"
    return (
        f"""<p class="soft">{hosts}: {size}, {length}. All protocols have the same {same} and the same messages.</p>"""
    )


def protocol_section(protocols: Sequence[ProtocolSummary]) -> Section:
    """Return what each protocol is. Protocols that differ only in an option are described together."""
    names: dict[str, list[str]] = {}
    for each in protocols:
        names.setdefault(capitalized(f"{each.description}. {each.paper or 'For comparison'}."), []).append(each.name)
    return Section("Protocols", body=elements.terms((listing(several), text) for text, several in names.items()))


def _correctness(summary: Summary) -> Section:
    kinds = {Correctness.CORRECT: "sound", Correctness.WITHIN_RATE: "sound", Correctness.INCORRECT: "broken"}
    items = verdicts((kinds.get(each.correctness, "other"), each.name, verdict(each)) for each in summary.protocols)
    claims = tables.claim_table(summary.protocols)
    return Section("Correctness", body=f"<p>{CHECKER}</p>\n{items}\n{claims}\n{_delay_check(summary)}")


def _delay_check(summary: Summary) -> str:
    check, first = summary.check, escape(str(summary.check.example))
    if not check.faults:
        return f'<p class="soft">The parts of the delay add up exactly in all {check.rows:,} deliveries.</p>'
    return f'<p class="alarm">In {check.faults:,} deliveries the parts do not add up to the delay. First: {first}.</p>'


def _key_figures(summary: Summary) -> Section:
    source = intervals(summary.experiment.replications)
    window = summary.experiment.window
    return Section(
        "Key figures",
        body=f"""{tables.key_table(summary)}
<p class="soft">{source[0].upper()}{source[1:]}. Percentiles are exact over all deliveries. Means and percentiles cover
only complete runs, unless a protocol has no complete run. The overhead factor is the number of bytes on all links
divided by the number of delivered payload bytes.</p>
<p class="soft">{_WHOLE if window is None else _WINDOW.format(window)}</p>""",
    )


def _definitions(summary: Summary) -> Section:
    stations = summary.experiment.stations > 0
    parts = (DELAY_PARTS[name] for name in summary.parts)
    return Section(
        "Definitions",
        body="<p>The parts of a delay, in the order of a message's path. Their sum is exactly the delay.</p>"
        + definitions((f"{chip(part.colour)}{part.label}", part.defined(stations=stations)) for part in parts)
        + f"\n{glossary()}",
    )


def _reproduce(experiment: Experiment) -> Section:
    version, content = escape(experiment.version), escape(experiment.scenario_hash)
    text = f"""With mobilesim {version}, run the <code>scenario.yaml</code> in the directory of this page. It includes
the changes by command-line options and <code>--quick</code>. The same file gives the same tables, byte for byte, except
for wall-clock times; with measured processing times, no two runs are equal. The scenario hash <code>{content}</code> is
that of the network and the workload: it ignores name, protocols, replications, trace, oracle and clocks."""
    facts = elements.facts(
        {
            "seed": ", ".join(map(str, experiment.seeds)),
            "scenario hash": experiment.scenario_hash,
            "mobilesim": experiment.version,
            "Python": experiment.python,
            "wall time of the runs, added": f"{number(experiment.wall_seconds)} s",
        }
    )
    return reproduction("run", text, "mobilesim run scenario.yaml --out again", facts)
