"""Who sent what to whom: the messages of a run in the order in which they were sent, with a place for each copy.

Messages are numbered as they are sent, so their numbers order them. A message's rank is its place in that order; a copy
is a message at one of its destinations, and its key is made of the two. Of a mesh that measures a part of its run the
messages from before are not in the table: those that were delivered in that part are made up from their deliveries.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.summary.results_reader import Run
from analysis.verify.columns import Columns, Numbers, numbers, pieces
from analysis.verify.findings import REFERENCES, TIMELINES, Findings, Mask

_PLAIN: Final = ("message", "source", "payload_bytes", "submitted", "header_integers")
_COPIES: Final = ("of", "host")
_NONE: Final = 1 << 31
"""Above all numbers of messages."""
_UNKNOWN: Final = 1 << 62
_FROM_DELIVERIES: Final = ("message", "source", "destination", "payload_bytes", "submitted")


@dataclass(frozen=True, slots=True)
class Network:
    """How large it is; `windowed` if only a part of the run is in the tables."""

    hosts: int
    stations: int
    windowed: bool

    @property
    def sources(self) -> int:
        return self.hosts + self.stations


@dataclass(frozen=True, slots=True)
class Messages:
    """Columns by rank; the keys of all copies in order. `early`: so many are from before the window."""

    network: Network
    early: int
    number: Numbers
    source: Numbers
    submitted: Numbers
    payload: Numbers
    header: Numbers
    keys: Numbers

    def __len__(self) -> int:
        return len(self.number)

    def rank(self, message: Numbers) -> Numbers:
        """-1 of those that nobody sent."""
        return _places(self.number, message)

    def ranks(self, messages: list[int]) -> list[int]:
        found: list[int] = self.rank(np.array(messages, np.int64)).tolist()
        return found

    def copy(self, rank: Numbers, host: Numbers) -> Numbers:
        """-1 of what is for somebody else."""
        return np.where(rank < 0, -1, _places(self.keys, rank.astype(np.int64) * self.network.hosts + host))

    def ends(self, copy: int) -> str:
        rank, host = divmod(int(self.keys[copy]), self.network.hosts)
        return f"message {self.number[rank]} to host {host}"


def _distinct(keys: Numbers) -> Numbers:
    """In order."""
    keys.sort()
    again = np.flatnonzero(np.diff(keys) == 0)
    return np.delete(keys, again) if len(again) else keys


def _places(ordered: Numbers, wanted: Numbers) -> Numbers:
    if not len(ordered):
        return np.full(len(wanted), -1, np.int64)
    places = np.searchsorted(ordered, wanted)
    places[places == len(ordered)] = 0
    return np.where(ordered[places] == wanted, places, -1)


def messages(findings: Findings, run: Run, network: Network) -> Messages:
    found = [*_read(findings, run, network)]
    # Column by column, and the pieces go as they are used: with all of both at once there would be twice as much.
    columns = {name: np.concatenate([piece.pop(name) for piece in found]) for name in (*_PLAIN, *_COPIES)}
    _once(findings, columns["message"])
    first = int(columns["message"].min()) if len(columns["message"]) else _NONE
    earlier = _before(run, first) if network.windowed else []
    if earlier:
        columns = {name: np.concatenate([*(piece[name] for piece in earlier), columns[name]]) for name in columns}
    number, place = np.unique(columns["message"], return_index=True)
    keys = _places(number, columns.pop("of"))
    keys *= network.hosts
    keys += columns.pop("host")
    made = Messages(
        network=network,
        early=int(np.searchsorted(number, first)),
        number=number,
        source=columns.pop("source")[place],
        submitted=columns.pop("submitted")[place],
        payload=columns.pop("payload_bytes")[place],
        header=columns.pop("header_integers")[place],
        keys=_distinct(keys),
    )
    _in_order(findings, made)
    return made


def _read(findings: Findings, run: Run, network: Network) -> Iterator[Columns]:
    """Of every piece the columns, and of its copies which message they are of and for which host."""
    nothing = np.zeros(0, np.int32)
    yield dict.fromkeys((*_PLAIN, *_COPIES), nothing)
    for piece in pieces(run, "messages", *_PLAIN, "copies", "destinations"):
        at = numbers(piece)
        lists = piece.column("destinations")
        lengths, host = lists.value_lengths().to_numpy(), lists.flatten().to_numpy()
        of = np.repeat(at["message"], lengths)
        findings.looked(REFERENCES, len(lengths))
        _sound(findings, at, lengths, network)
        inside = _addresses(findings, (of, host, np.repeat(at["source"], lengths)), network)
        yield {**{name: at[name] for name in _PLAIN}, "of": of[inside], "host": host[inside]}


def _sound(findings: Findings, at: Columns, lengths: Numbers, network: Network) -> None:
    def told(what: str, name: str) -> Callable[[int], str]:
        return lambda row: f"message {at['message'][row]}: {what} {at[name][row]}"

    source = at["source"]
    findings.faults(REFERENCES, (source < 0) | (source >= network.sources), told("there is no source", "source"))
    findings.faults(REFERENCES, at["copies"] != lengths, told("not so many destinations as copies,", "copies"))
    negative = (at["submitted"] < 0) | (at["payload_bytes"] < 0) | (at["header_integers"] < 0)
    findings.faults(REFERENCES, negative, told("a negative number; submitted", "submitted"))


def _addresses(findings: Findings, copies: tuple[Numbers, Numbers, Numbers], network: Network) -> Mask:
    """Which copies are for a host that there is."""
    of, host, source = copies
    inside = (host >= 0) & (host < network.hosts)
    findings.faults(REFERENCES, ~inside, lambda place: f"message {of[place]}: there is no host {host[place]}")
    to_itself = host == source
    findings.faults(REFERENCES, to_itself, lambda place: f"message {of[place]} is for its own source {host[place]}")
    order = np.lexsort((host, of))
    twice = np.zeros(len(of), np.bool_)
    twice[order[1:]] = (np.diff(of[order]) == 0) & (np.diff(host[order]) == 0)
    findings.faults(REFERENCES, twice, lambda place: f"message {of[place]} is twice for host {host[place]}")
    return inside


def _before(run: Run, first: int) -> list[Columns]:
    """Messages of which a delivery is all that is known."""
    found = []
    for piece in pieces(run, "deliveries", *_FROM_DELIVERIES):
        at = numbers(piece)
        early = at["message"] < first
        of, host = at["message"][early], at["destination"][early]
        known = {name: at[name][early] for name in ("message", "source", "payload_bytes", "submitted")}
        found.append({**known, "header_integers": np.full(len(of), _UNKNOWN), "of": of, "host": host})
    return found


def _once(findings: Findings, message: Numbers) -> None:
    """Each in one row."""
    again = np.ones(len(message), np.bool_)
    again[np.unique(message, return_index=True)[1]] = False
    findings.faults(REFERENCES, again, lambda row: f"message {message[row]} is in the table twice")


def _in_order(findings: Findings, made: Messages) -> None:
    before = np.zeros(len(made), np.bool_)
    before[1:] = np.diff(made.submitted) < 0
    findings.looked(TIMELINES, len(made))
    findings.faults(
        TIMELINES, before, lambda rank: f"message {made.number[rank]}: submitted before the one that was sent before it"
    )
