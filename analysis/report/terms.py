"""The glossary: terms of the field, of the papers and of mobilesim. Reports and docs/glossary.md show the same text."""

from typing import Final

_TEXT: Final = """
## The network

mobile host (MH): A device that moves between cells and reaches the network by radio. Hosts send and receive messages.
mobile support station (MSS): The fixed station of a cell: it talks to the hosts in its cell by radio, and to other
    stations over the backbone.
cell: The area that one station serves. Cell i belongs to station i. On a plane it is the station's Voronoi region.
backbone: The wired network between the stations: links with a latency and a bandwidth, in a given topology.
wired link: A link of the backbone. Packets that leave a station for the same next hop are sent one after another.
wireless channel: The radio link between a host and its station: a FIFO up-link and a FIFO down-link, possibly shared
    by the cell, slower in some cells, or with packet loss.
static network: A network of hosts that never move, each linked with every other one; papers on static networks use
    it.
beacon: A station's periodic broadcast. A dozing host wakes up for it to learn whether frames are waiting.
disconnection: A period in which a host is switched off or out of reach. Its messages wait, or are discarded, by the
    scenario's policy.
doze: A radio's power-save mode: it neither sends nor receives between beacons.

## Mobility and hand-off

mobility model: The rule by which hosts move, such as random waypoint, Gauss-Markov or Manhattan.
dwell time: How long a host stays in one cell.
hand-off: What happens between stations when a host changes its cell: registration, transfer of its state, and release
    of the messages that waited for it.
visit: One stay of a host in one cell. Visits of a host are numbered; records of a hand-off are kept per visit.
registration: The first frame of a host in a new cell, which names the cell that it comes from.
request: The moment at which the new station asks the old one for the host's state.
state transfer: The packets that carry a host's protocol state from the old station to the new one.
flush: The hand-off of algorithms 2 and 3 of Alagar and Venkatesan: all stations are told, and each answers with a
    last message, so that nothing is in transit to the old station when the new one starts.
trail: Stations that a host has left and that still forward its messages to the next one.
ping-pong: Moving back and forth between two cells, so that hand-offs overtake each other.

## Protocols

ordering: How causality is tracked between processes: what a message carries, and when it may be delivered.
placement: Where the ordering's processes live (on stations, on hosts, at a host's station) and how their state
    survives a hand-off.
protocol: A pair of a placement and an ordering, such as `proxy+rst`. Common pairs have names, such as `av1`.
proxy: A placement: one process per host, at the station of the host's cell; it moves with the host.
resident: A placement: one process per host, on the host itself; stamps cross the wireless channel.
station placement: A placement: one process per station; hosts share it (`av2`).
logical station: One of k processes into which a station is divided; each host belongs to one (`av3`).
flood: A placement: every station gets a copy of every message (Acharya and Badrinath).
stamp: The control information that an ordering puts on a message, such as a vector or a matrix of counters.
control message: A message of the protocol itself, such as a resynchronisation; no application receives it.
catalogue: The list of orderings, placements and named protocols, with what each claims.
claim: What a protocol promises: FIFO order, causal order, exactly-once delivery, numbers of packets.

## Order and correctness

happened before: Lamport's relation between events: a send precedes its receipts, events of one process are in order,
    and the relation is transitive.
causal order: If the sending of m happened before the sending of n, every host that receives both receives m first.
FIFO order: Messages from one host to another are delivered in the order in which they were sent.
exactly once: Every message is delivered to each of its destinations, and never twice.
oracle: The independent checker: it tracks happened-before with its own vector clocks, sees only submissions and
    deliveries, and judges every delivery.
verdict: The oracle's result for a run: ok, fault (a claim was broken), or unjudged (no oracle).
violation: A delivery that breaks causal or FIFO order. For a protocol that does not claim that order it is counted,
    and is no fault.
explorer: The model checker: it tries every interleaving of a small configuration.
counter-example: A schedule of inputs that ends in a fault. The plain search finds a shortest one.
partial-order reduction: Leaving out interleavings that differ only in the order of independent steps.
passive clock: A logical clock that runs beside a simulation: it stamps and compares messages but delays nothing.

## Delay

delay: The time from the submission of a message to its delivery at one destination: the sum of eleven parts, exactly.
causal wait: Necessary waiting: a message that happened before has not been released at that host yet.
inhibition: Unnecessary waiting: the protocol holds a message although causal order would allow its delivery (false
    dependency).
detour: Time spent on forwarding, because the message went to a station that the host had left.
unreachable: Time in which the receiver was disconnected or in a hand-off.
release: The moment from which the ordering allows a delivery.

## Costs

header: Control information per message, in integers of the ordering's stamp, counted as its paper counts it.
purpose: What a byte on a link is for: payload, ordering header, acknowledgements, hand-off, and so on.
overhead factor: Bytes on all links divided by payload bytes delivered.
overload: A link or a station was asked for more work than it could do while hosts were sending, so its queue grew.
energy: What the radios of hosts consume, by state: sending, receiving, idle, dozing.

## Experiments

scenario: A YAML file with everything that a run depends on.
run: One protocol in one replication of a scenario.
replication: One draw of all random numbers. All protocols meet the same movement and traffic in it (common random
    numbers).
sweep: A scenario run at every combination of varied settings.
study: A scenario and named variants of it, on the same random numbers.
paired difference: The mean difference between two protocols or variants over replications that both have.
confidence interval: The 95 % interval of a mean over replications, by Student's t.
Pareto-optimal: Not dominated: no other protocol is significantly better in one cost and not significantly worse in
    any.
warm-up: The first part of a run, which is simulated but not measured.
"""


def entries(text: str) -> dict[str, str]:
    """Return the text of each entry by its name; lines that go on are indented."""
    return dict(entry.split(": ", 1) for entry in text.strip().replace("\n    ", " ").split("\n"))


GLOSSARY: Final = {
    theme: entries(terms) for theme, _, terms in (part.partition("\n") for part in _TEXT.split("\n## ")[1:])
}
"""By theme: each term with its definition."""
