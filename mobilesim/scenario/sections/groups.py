"""The settings of groups: lists of hosts, or a rule. `mobilesim.world.replication` builds the groups of a run."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    RootModel,
    ValidationInfo,
    WithJsonSchema,
    WrapValidator,
)

from mobilesim.errors import counted, did_you_mean, shown
from mobilesim.geometry.named_graphs import KINDS
from mobilesim.scenario.pydantic_errors import nested
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.values.fields import MANY, Count, Whole, digest, readable_file, required, setting
from mobilesim.scenario.values.validation_error import Fault, refuse, repeated

MOST_GROUPS: Final = 10_000
MOST_MEMBERS: Final = 1_000_000
"""The largest sum of the sizes of all groups."""

_RULE: Final = Field(description="The rule by which groups are formed.")


def _group(hosts: tuple[int, ...]) -> tuple[int, ...]:
    for place in repeated(hosts):
        raise refuse(f"host {hosts[place]} occurs twice", place)
    if len(hosts) < 2:
        raise refuse("a group has at least 2 hosts")
    return tuple(sorted(hosts))


def _checked_number(groups: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    if not groups:
        raise refuse("the list is empty; write groups, like [[0, 1, 2], [2, 3]], or leave it out")
    if len(groups) > MOST_GROUPS:
        raise refuse(f"{len(groups)} groups are too many; the maximum is {MOST_GROUPS}")
    return groups


Members = Annotated[
    tuple[Annotated[Whole, Field(ge=0, le=MANY)], ...],
    AfterValidator(_group),
    Field(json_schema_extra={"minItems": 2, "uniqueItems": True}),
]


class ListedGroups(
    RootModel[
        Annotated[
            tuple[Members, ...],
            AfterValidator(_checked_number),
            Field(json_schema_extra={"minItems": 1, "maxItems": MOST_GROUPS}),
        ]
    ]
):
    model_config = ConfigDict(frozen=True)

    @property
    def largest(self) -> int:
        return max(map(len, self.root))

    def size_faults(self, hosts: int) -> Iterator[Fault]:
        for number, group in enumerate(self.root):
            if group[-1] >= hosts:
                yield Fault(f"there is no host {group[-1]}; hosts are numbered from 0 to {hosts - 1}", (number,))


class _Rule(Section):
    """Groups by a rule. Subclasses for rules with larger groups override `largest`."""

    rule: str = _RULE

    @property
    def largest(self) -> int:
        return 2

    def is_default(self, _key: str) -> bool:
        """Return False, so that the normal form has all keys of a rule."""
        return False


class _SizedRule(_Rule):
    size: Annotated[Whole, Field(ge=2, le=MANY)] = required("The number of hosts in a group.", 3)

    @property
    def largest(self) -> int:
        return self.size

    def size_faults(self, hosts: int) -> Iterator[Fault]:
        if self.size > hosts:
            yield Fault(f"groups of {self.size} are larger than the {counted(hosts, 'host')}", ("size",))


class RandomGroups(_SizedRule):
    rule: Literal["random"] = _RULE
    number: Count = required("The number of groups.", 6)

    def size_faults(self, hosts: int) -> Iterator[Fault]:
        yield from super().size_faults(hosts)
        yield from _too_many(self.number, self.number * self.size, "number")


class RingGroups(_SizedRule):
    rule: Literal["ring"] = _RULE

    def size_faults(self, hosts: int) -> Iterator[Fault]:
        yield from super().size_faults(hosts)
        yield from _too_many(hosts, hosts * self.size, "size")


class StarGroups(_Rule):
    rule: Literal["star"] = _RULE

    def size_faults(self, hosts: int) -> Iterator[Fault]:
        yield from _too_many(hosts - 1, 2 * hosts - 2, "rule")


class BlockGroups(_SizedRule):
    rule: Literal["blocks"] = _RULE
    overlap: Annotated[Whole, Field(ge=0, le=MANY)] = setting(0, "The number of hosts that consecutive blocks share.")

    def ranges(self, hosts: int) -> list[range]:
        """Return the hosts of each block. The last block may be smaller than the others."""
        starts = range(0, hosts - self.overlap, self.size - self.overlap)
        return [range(start, min(start + self.size, hosts)) for start in starts]

    def faults(self) -> Iterator[Fault]:
        if self.overlap >= self.size:
            yield Fault(
                f"blocks of {self.size} cannot share {self.overlap}; write {self.size - 1} or less", ("overlap",)
            )

    def size_faults(self, hosts: int) -> Iterator[Fault]:
        yield from super().size_faults(hosts)
        if self.size <= hosts:
            blocks = self.ranges(hosts)
            yield from _too_many(len(blocks), sum(map(len, blocks)), "size")
            if len(blocks[-1]) == 1:
                yield Fault(f"the last block of {self.size} would have one host; write another size", ("size",))


def _graph(raw: object, info: ValidationInfo) -> str | Path:
    """Return the name of a graph in `mobilesim.geometry.named_graphs`, or the path of a GraphML file."""
    if isinstance(raw, str) and raw in KINDS:
        return raw
    if isinstance(raw, str) and not Path(raw).suffix:
        known = ", ".join(KINDS)
        raise refuse(f"there is no graph {shown(raw)}{did_you_mean(raw, KINDS)} (known: {known}, or a GraphML file)")
    return readable_file(raw, info)


class LinkGroups(_Rule):
    rule: Literal["links"] = _RULE
    graph: Annotated[
        str | Path,
        PlainValidator(_graph),
        PlainSerializer(lambda graph: digest(graph) if isinstance(graph, Path) else graph, when_used="json"),
        WithJsonSchema({"type": "string"}),
    ] = required("The graph of the groups: its name, or a file.", "star", "groups.graphml")
    branching: Count = setting(2, "Children of each host of a tree or triangle.")

    def size_faults(self, hosts: int) -> Iterator[Fault]:
        most = {"complete": hosts - 1, "hierarchical-triangle": self.branching + 1}
        if isinstance(self.graph, str):
            pairs = hosts * min(most.get(self.graph, 2), hosts - 1) // 2
            yield from _too_many(pairs, 2 * pairs, "graph")


def _too_many(groups: int, members: int, key: str) -> Iterator[Fault]:
    if groups > MOST_GROUPS:
        yield Fault(f"about {groups} groups are too many; the maximum is {MOST_GROUPS}", (key,))
    elif members > MOST_MEMBERS:
        yield Fault(f"about {members} members of groups are too many; the maximum is {MOST_MEMBERS}", (key,))


Rule = RandomGroups | RingGroups | StarGroups | BlockGroups | LinkGroups
Grouping = ListedGroups | Rule
_RULES: Final[Mapping[str, type[Rule]]] = {
    "random": RandomGroups,
    "ring": RingGroups,
    "star": StarGroups,
    "blocks": BlockGroups,
    "links": LinkGroups,
}


def _read(raw: object, _union: object, info: ValidationInfo) -> Grouping | None:
    if raw is None or isinstance(raw, Grouping):
        return raw
    if isinstance(raw, list | tuple):
        return ListedGroups.model_validate(raw)
    if not isinstance(raw, Mapping):
        forms = "lists of hosts, like [[0, 1, 2], [2, 3]], or a rule, like {rule: ring, size: 3}"
        raise refuse(f"{shown(raw)} is not a setting of groups; write {forms}")
    known, rule = ", ".join(_RULES), raw.get("rule")
    if "rule" not in raw:
        raise refuse(f"'rule' is missing; write one of {known}")
    if not isinstance(rule, str) or rule not in _RULES:
        raise refuse(f"{shown(rule)} is not one of {known}{did_you_mean(rule, _RULES)}", "rule")
    return nested(_RULES[rule], raw, info.context)


GroupsOrRule = Annotated[Grouping | None, WrapValidator(_read)]


def brief(grouping: Grouping) -> str:
    """Return a short description. For a rule, it omits the number of groups, which the hosts or a file determine."""
    if isinstance(grouping, ListedGroups):
        return counted(len(grouping.root), "group")
    return f"groups by rule '{grouping.rule}'"
