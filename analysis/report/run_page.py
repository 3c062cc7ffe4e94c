"""The report, from a summary to one HTML file."""

import re
from collections.abc import Callable
from html import escape
from typing import Final

from analysis.figures.delay import breakdown, distribution
from analysis.figures.energy import energy
from analysis.figures.handoffs import handoff_times, stages
from analysis.figures.inhibition import inhibition
from analysis.figures.style import Figure, words
from analysis.figures.traffic import traffic
from analysis.report import glossary
from analysis.report.narrative import SAYS, batteries, clocks, disconnections, storage
from analysis.report.page_template import chip, framed, place
from analysis.report.tables import (
    battery_table,
    clock_table,
    disconnection_table,
    distribution_table,
    energy_table,
    handoff_table,
    key_table,
    parts_table,
    storage_table,
    traffic_table,
)
from analysis.summary.formatting import duration, number
from analysis.summary.model import Correctness, Experiment, ProtocolSummary, Summary
from analysis.summary.verdict_text import verdict
from mobilesim.results.quantities import DELAY_PARTS

_HOSTS: Final = "Mobile hosts send each other messages while they move between cells"
_STATIC_HOSTS: Final = "Hosts that stay where they are send each other messages, each over a link to every other one"


def page(summary: Summary, besides: Callable[[Summary], tuple[str, list[Figure]]] = lambda _: ("", [])) -> str:
    """`besides`: what somebody asks for besides, and its figures; it stands after what was run."""
    protocols = summary.protocols
    delays = [breakdown(protocols, summary.parts), distribution(protocols)]
    handoffs = [handoff_times(protocols), stages(protocols)] if summary.has_handoffs else []
    carried, spent = traffic(protocols), [energy(protocols)] if summary.has_energy else []
    held = inhibition(protocols)
    title = f"{summary.experiment.scenario}: what order costs"
    more, figures = besides(summary)
    body = [
        f"<h1>{escape(title)}</h1>",
        _what_was_run(summary.experiment),
        _verdicts(summary),
        more,
        _numbers(summary),
        _figure(delays[0], summary),
        parts_table(summary),
        _figure(delays[1], summary),
        distribution_table(protocols),
        *(_figure(figure, summary) for figure in handoffs),
        handoff_table(protocols),
        _figure(carried, summary),
        traffic_table(protocols),
        *(_figure(figure, summary) for figure in spent),
        energy_table(protocols),
        _batteries(protocols),
        _figure(held, summary),
        _disconnections(protocols),
        _storage(protocols),
        _clocks(protocols),
        _definitions(summary),
        _reproduce(summary),
    ]
    return framed(title, body, [*figures, *delays, *handoffs, carried, *spent, held])


def _what_was_run(experiment: Experiment) -> str:
    facts = {
        "hosts": experiment.hosts,
        **({"stations": experiment.stations} if experiment.stations else {}),
        "emulated": duration(experiment.emulated),
        "replications": experiment.replications,
        "seed": ", ".join(str(seed) for seed in experiment.seeds),
        "scenario hash": experiment.scenario_hash,
        "mobilesim": experiment.version,
        "Python": experiment.python,
        "computed in": f"{number(experiment.wall_seconds)} s",
    }
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(str(fact))}</dd></div>" for name, fact in facts.items())
    who, met = (_HOSTS, "movement") if experiment.stations else (_STATIC_HOSTS, "delays")
    return f"""<p class="soft">{who}. Every protocol below met the same {met} and the same messages; the question is
what it costs to deliver each message once and in causal order, that is, never before one that may have led to it.</p>
<dl class="facts">{rows}</dl>"""


def _verdicts(summary: Summary) -> str:
    items = "".join(
        f'<li class="{_class(protocol)}"><strong>{escape(protocol.name)}</strong>: {escape(verdict(protocol))}</li>'
        for protocol in summary.protocols
    )
    return f"""<h2>Did they keep their word?</h2>
<p>An oracle, which shares no code with the protocols, has judged every delivery.</p>
<ul class="verdicts">{items}</ul>
{_check(summary)}"""


def _class(protocol: ProtocolSummary) -> str:
    return {Correctness.CORRECT: "sound", Correctness.INCORRECT: "broken"}.get(protocol.correctness, "other")


def _check(summary: Summary) -> str:
    check = summary.check
    if not check.faults:
        return f'<p class="soft">The parts of the delay add up exactly in all {check.rows:,} deliveries.</p>'
    first = escape(str(check.example))
    return f'<p class="alarm">In {check.faults:,} deliveries the parts do not add up to the delay. First: {first}.</p>'


def _numbers(summary: Summary) -> str:
    source = _source({protocol["delay"].interval_from for protocol in summary.protocols})
    return f"""<h2>The numbers</h2>
{key_table(summary)}
<p class="soft">± is half of a 95 % interval, by Student's t over {source}; where it is missing there is too little
to base it on. Percentiles are exact. Means and percentiles are of complete runs, wherever a protocol has one.</p>
<p class="soft">{_covered(summary.protocols)}</p>"""


def _covered(protocols: tuple[ProtocolSummary, ...]) -> str:
    if any(protocol.judged > protocol.deliveries for protocol in protocols):
        return (
            "They are of the deliveries that the scenario asks for with <code>warm_up</code> and "
            "<code>deliveries</code>. What came before and after them has been judged, and is in no mean."
        )
    return (
        "They cover a whole run: the start, when the network is still empty, and the end, when nothing new is sent and "
        "the rest drains, are part of every mean. No warm-up is left out."
    )


def _source(sources: set[str]) -> str:
    alone = "batches of deliveries in time order"
    if "batches" not in sources:
        return "replications"
    if "replications" not in sources:
        return f"{alone}, as there is one run only"
    return f"replications, or over {alone} where there is one run only"


def _figure(figure: Figure, summary: Summary) -> str:
    return f"""<h2>{escape(figure.title)}</h2>
<p class="soft">{glossary.of_figure(figure.key, stations=summary.experiment.stations > 0)}</p>
<p class="says">{_unbroken(escape(SAYS[figure.key](summary.protocols)))}</p>
{place(figure)}"""


def _disconnections(protocols: tuple[ProtocolSummary, ...]) -> str:
    """Only where a host was ever switched off."""
    title, said = "What waits for hosts that are off", disconnections(protocols)
    return _perhaps(title, glossary.DISCONNECTIONS, said, disconnection_table(protocols))


def _batteries(protocols: tuple[ProtocolSummary, ...]) -> str:
    """Only where hosts have some."""
    return _perhaps("How long batteries last", glossary.BATTERIES, batteries(protocols), battery_table(protocols))


def _storage(protocols: tuple[ProtocolSummary, ...]) -> str:
    """Only where a protocol leaves anything at stations where no destination is."""
    return _perhaps("What stations keep", glossary.STORAGE, storage(protocols), storage_table(protocols))


def _clocks(protocols: tuple[ProtocolSummary, ...]) -> str:
    """Only where a scenario lets clocks look on."""
    return _perhaps("Clocks that looked on", glossary.CLOCKS, clocks(protocols), clock_table(protocols))


def _perhaps(title: str, about: str, said: str, table: str) -> str:
    """Nothing where there is nothing to say."""
    if not said:
        return ""
    return f"""<h2>{title}</h2>
<p class="soft">{about}</p>
<p class="says">{escape(said)}</p>
{table}"""


def _unbroken(text: str) -> str:
    """A number and its unit stay on one line."""
    return re.sub(r"(?<=\d) (?=[±%]|[nµm]?s\b|(?:[KM]i)?B\b|[kmµ]?J\b)", "&nbsp;", text)


def _definitions(summary: Summary) -> str:
    parts = [DELAY_PARTS[part] for part in summary.parts]
    rows = "".join(
        f"<tr><td>{chip(part.colour)}{words(part.name)}</td>"
        f'<td class="words">{part.defined(stations=bool(summary.experiment.stations))}</td></tr>'
        for part in parts
    )
    return f"""<h2>The parts of a delay</h2>
<p class="soft">In the order of a message's way. They add up to its delay, to the nanosecond.</p>
<div class="scroll"><table><tbody>{rows}</tbody></table></div>"""


def _reproduce(summary: Summary) -> str:
    experiment = summary.experiment
    version, content = escape(experiment.version), escape(experiment.scenario_hash)
    return f"""<h2>How to get the same again</h2>
<p>With mobilesim {version}, run the <code>scenario.yaml</code> that lies beside this page. The same content, which has
the hash <code>{content}</code>, gives the same tables, byte for byte, apart from wall-clock time; only a scenario that
measures its processing does not. What was overridden on the command line, or cut by <code>--quick</code>, is in it.</p>
<pre><code>mobilesim run scenario.yaml --out again</code></pre>
<p class="soft">The numbers behind this page are in <code>summary/</code> beside it, as Parquet and CSV.</p>"""
