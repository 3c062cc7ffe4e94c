"""The interfaces of a run's recorder and of its message timeline. The methods of these two classes do nothing.

A run without a trace uses these classes. `MessageTimeline` and `RunRecorder` override their methods.
"""

from mobilesim.oracle.causal_order import Submission
from mobilesim.protocols.handoff.wireless_hop import Data
from mobilesim.protocols.machine import Host, Milestone, Station
from mobilesim.protocols.packets import DATA, Copy, Message, Packet, Stamp


class Timeline:
    """The events of messages. Times are nanoseconds. Events may repeat, since protocols retransmit. `started`: when a
    frame was first transmitted. `work`: how long its host worked on it, with the wait for its processor.
    """

    __slots__ = ()

    def submitted(self, message: Message, sent: Submission, now: int) -> None:
        """A host or a station submitted a message. `sent`: the submission, with its clock, from the oracle."""

    def originated(self, message: Message, station: int, now: int) -> None:
        """A station submitted a message and accepted it at once, without an uplink frame."""

    def held(self, message: Message, now: int, station: int = -1) -> None:
        """A message waits in the send queue of its host, or of a station that has accepted it."""

    def readdressed(self, message: Message) -> None:
        """A message that has waited in the send queue of its host is for other destinations now, or for none."""

    def departed(self, message: Message, sender: int, hosts: tuple[int, ...], now: int) -> None:
        """A host sends the copies of a message for these destinations, after a wait or a relay."""

    def uplink_sent(self, message: Message, host: int, times: int = 1) -> None:
        """A host sent uplink frames of a message."""

    def uplink_received(  # noqa: PLR0917 - called for every frame, and keywords are slow
        self, message: Message, host: int, station: int, started: int, work: int, now: int
    ) -> None:
        """A station received an uplink frame of a host."""

    def searching(self, copy: Copy, now: int) -> None:
        """A station asks for the locations of the targets of a copy that it has stamped, before it sends the copy."""

    def sent(self, copies: tuple[Copy, ...], station: int, target: int, now: int, done: int) -> None:
        """A station sent a data packet with these copies. Its work on the packet took from `now` to `done`."""

    def kept(self, copies: tuple[Copy, ...], station: int, now: int, done: int) -> None:
        """A station keeps the copies that it has stamped for hosts of its cell."""

    def landed(self, copies: tuple[Copy, ...], station: int, came: int, now: int) -> None:
        """A station has now read a data packet. The packet arrived at `came`."""

    def stored(self, message: Message, host: int, station: int, now: int) -> None:
        """A station stores a released message, because its host has announced that it switches off."""

    def downlink_sent(self, message: Message, host: int, station: int, now: int) -> None:
        """A station sent a downlink frame."""

    def downlink_repeated(self, message: Message, host: int, times: int) -> None:
        """A station repeats a downlink frame that was lost."""

    def downlink_received(  # noqa: PLR0917 - called for every frame, and keywords are slow
        self, machine: Host, frame: Data, host: int, started: int, work: int, now: int
    ) -> None:
        """A host received and read a data frame. Its machine gets the frame after this call."""

    def crossed(self, copy: Copy, host: int, started: int, now: int) -> None:
        """A copy has crossed the link between two hosts of a static network."""

    def delivered(self, message: Message, host: int, overtaken: int, now: int) -> None:
        """A host delivered a message. `overtaken`: the message that it overtook (by the oracle), or -1."""

    def dropped(self, message: Message, host: int, now: int) -> None:
        """A station dropped a message for a host that had requested it."""

    def control_arrived(self, stamp: Stamp) -> None:
        """A machine is about to process a control message of the ordering."""

    def processed(self) -> None:
        """A machine has processed the frame or packet that was reported last."""

    def installed(self, host: int, visit: int, station: int, now: int) -> None:
        """The host's state for a visit has arrived at a station, perhaps before the host."""

    def withdrawn(self, host: int, visit: int, station: int) -> None:
        """A station received the request for the state of a host that has left for `visit`."""

    def close(self) -> None:
        """The run has ended."""


class Recorder:
    """The events of a run. `recorded`: the purpose of recorded packets and frames; None if nothing is recorded."""

    __slots__ = ("recorded", "records", "timeline")

    def __init__(self, timeline: Timeline | None = None) -> None:
        self.records = timeline is not None
        self.recorded = None if timeline is None else DATA
        self.timeline = timeline or Timeline()

    def submitted(self, message: Message, sent: Submission, now: int) -> None:
        """A message was submitted. `sent`: the submission, with its clock, from the oracle."""

    def delivered(self, message: Message, host: int, overtaken: int, now: int) -> None:
        """A host delivered a message. `overtaken`: the message that it overtook (by the oracle), or -1."""

    def dropped(self, message: Message, host: int, now: int) -> None:
        """A station dropped a message for a host that had requested it."""

    def left(self, host: int, now: int, *, disconnects: bool) -> None:
        """A host left its cell."""

    def entered(self, host: int, station: int, times: tuple[int, int], *, reconnection: bool) -> None:
        """A host entered a cell. `times`: when the host left the old cell, and when it entered the new cell."""

    def registered(self, host: int, now: int) -> None:
        """A host received the answer to its registration. From now on it can send."""

    def reached(self, milestone: Milestone, station: int, cell: int, now: int) -> None:
        """A station reports a milestone of a hand-off. `cell`: the present cell of the host."""

    def packet_sent(self, packet: Packet, source: int, target: int, done: int) -> None:
        """A station sent a wired packet, on which it has worked until `done`."""

    def crossed(self, copy: Copy, host: int, started: int, now: int) -> None:
        """A copy has crossed the link between two hosts of a static network."""

    def searching(self, station: int, hosts: int) -> None:
        """A station searches for the cells of this number of hosts."""

    def packet_processed(self, station: int, machine: Station, packet: Packet, came: int, now: int) -> None:
        """A station has processed a wired packet, which arrived at `came`."""

    def open_window(self, now: int) -> None:
        """The measurement window opens."""

    def close_window(self, now: int, until: int) -> None:
        """The measurement window closes. `until`: its end, which it excludes."""

    def unreachable(self, now: int) -> list[int]:
        """Return for each host the time for which it has been out of reach."""
        return []
