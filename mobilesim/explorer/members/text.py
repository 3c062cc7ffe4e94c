"""A counter-example with processes that join and leave: a line for each step, and a sentence for the fault."""

from collections.abc import Iterable, Iterator
from typing import Final

from mobilesim.explorer.counterexample_text import Names, step_lines
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.members.search import applied
from mobilesim.explorer.members.world import MembershipWorld
from mobilesim.explorer.untimed_world import Action
from mobilesim.protocols.member import Member
from mobilesim.protocols.membership import (
    Ended,
    EndView,
    Finished,
    Join,
    Leave,
    Left,
    NewView,
    Notice,
    Quit,
    Request,
    Welcome,
)
from mobilesim.protocols.packets import Copy, Message

LEGEND: Final = "h: host; the service numbers the hosts that join, and tells the others of joins and leaves"


class Narrated(MembershipWorld):
    """A world that describes the deliveries of each step."""

    outcomes: list[str]
    names: Names

    def _delivered(self, member: Member, copies: list[Copy]) -> None:
        if copies:
            self.outcomes.append(
                f"h{member.index} delivers {' '.join([self.names[copy.message.id] for copy in copies])}"
            )
        super()._delivered(member, copies)

    def _give_up(self, host: int, message: Message) -> None:
        self.outcomes.append(f"{self.names[message.id]} is not delivered, because h{host} has left")
        super()._give_up(host, message)

    def _serve(self, request: Request) -> None:
        before = {host: len(waiting) for host, waiting in self.notices.items()}
        super()._serve(request)
        for host, waiting in self.notices.items():
            self.outcomes += [f"{described(notice)} to h{host}" for notice in waiting[before.get(host, 0) :]]


def listing(world: Narrated, schedule: Iterable[Action]) -> list[str]:
    """Perform a schedule; return a line for each step, and one for each fault."""
    world.names = {}
    steps = [(cause, "; ".join(world.outcomes)) for cause in _causes(world, schedule)]
    return step_lines(steps, world.faults, world.names)


def _causes(world: Narrated, schedule: Iterable[Action]) -> Iterator[str]:
    """Perform each action, and then yield it as text."""
    for action in schedule:
        if action.kind is InputKind.SUBMIT:
            world.names[world.next_message(action.index)] = f"m{len(world.names)}"
        cause, world.outcomes = _cause(world, action), []
        applied(world, action)
        yield cause


def _cause(world: Narrated, action: Action) -> str:
    index = action.index
    match action.kind:
        case InputKind.SUBMIT:
            to = " ".join(f"h{target}" for target in action.targets)
            return f"h{index} submits {world.names[world.next_message(index)]} to {to}"
        case InputKind.ENTER:
            return "a new host asks to join"
        case InputKind.LEAVE:
            return f"h{index} leaves"
        case InputKind.UP:
            return f"the service receives {described(world.requests[index])}"
        case InputKind.DOWN:
            return f"h{index} receives {described(world.notices[index][action.targets[0]])}"
        case _:
            copy = world.copies[index]
            return f"{world.names[copy.message.id]} arrives at h{copy.targets[0]}"


def described(packet: Notice | Request) -> str:
    name = type(packet).__name__
    match packet:
        case Join():
            return name
        case Welcome(members=members, leaving=leaving):
            left = f"; left {_hosts(leaving)}" if leaving else ""
            return f"{name}({_hosts(members)}{left})"
        case Left(process=process, messages=messages):
            return f"{name}(h{process}, {messages} messages)"
        case Finished(sender=sender, process=process):
            return f"{name}(h{process}) from h{sender}"
        case Leave(process=process):
            return f"{name} from h{process}"
        case EndView(view=view):
            return f"{name}({view})"
        case Ended(process=process, view=view, messages=messages) | Quit(process=process, view=view, messages=messages):
            return f"{name}({view}, {messages} messages) from h{process}"
        case NewView(number=number, members=members):
            return f"{name}({number}: {_hosts(members)})"
        case _:
            return f"{name}(h{packet.process})"


def _hosts(hosts: Iterable[int]) -> str:
    return " ".join(f"h{host}" for host in hosts)
