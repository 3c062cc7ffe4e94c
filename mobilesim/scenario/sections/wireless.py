"""The wireless channels between hosts and the stations of their cells."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.values.fields import (
    Bandwidth,
    Flag,
    Fraction,
    Share,
    Size,
    Time,
    Whole,
    optional,
    required,
    setting,
)
from mobilesim.scenario.values.units import BANDWIDTH, TIME
from mobilesim.scenario.values.validation_error import Fault, repeated

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario


class CellAir(Section):
    cell: Annotated[Whole, Field(ge=0)] = required("The cell's number.", 3)
    bandwidth: Bandwidth | None = optional("The bandwidth of the cell's uplink and of its downlink.", "256 kbit/s")
    uplink: Bandwidth | None = optional("The bandwidth from host to station, if it differs.", "64 kbit/s")
    downlink: Bandwidth | None = optional("The bandwidth from station to host, if it differs.", "2 Mbit/s")

    def faults(self) -> Iterator[Fault]:
        if self.bandwidth is None and self.uplink is None and self.downlink is None:
            yield Fault("the cell has no bandwidth; write a bandwidth, an uplink or a downlink, or leave the cell out")


class Doze(Section):
    after: Time = setting("100 ms", "The idle time after which a host dozes.")
    listen: Time = setting("2 ms", "The time that a dozing host listens at each beacon.")


class BeaconFrames(Section):
    size: Size = setting(
        "37 B",
        "Bytes of a beacon after the fixed header (sizes.header). By default, those of IEEE 802.11-1999, section "
        "7.2.3.1: timestamp 8, interval 2, capabilities 2, a network name of 8 letters 10, four rates 6, channel 3, "
        "traffic indication map 6.",
    )


class Contention(Section):
    """By default, the parameters for frequency hopping of Bianchi (Performance Analysis of the IEEE 802.11 Distributed
    Coordination Function, IEEE JSAC 18(3), 2000, table II), with five doublings of the window.
    """

    slot: Time = setting("50 us", "The duration of an idle slot.")
    sifs: Time = setting("28 us", "The time between a frame and its acknowledgement.")
    difs: Time = setting("128 us", "The time for which the medium is idle before slots are counted.")
    preamble: Time = setting("128 us", "The time before each frame: the header of the physical layer.")
    ack: Time = setting("240 us", "The duration of an acknowledgement: 112 bit, and the header of the physical layer.")
    window_min: Annotated[Whole, Field(ge=1, le=1 << 15)] = setting(
        32, "The number of slots from which a frame's first backoff is drawn."
    )
    window_max: Annotated[Whole, Field(ge=1, le=1 << 20)] = setting(
        1024, "The largest number of slots. The number doubles after each attempt without an acknowledgement."
    )

    def faults(self) -> Iterator[Fault]:
        if not self.slot:
            yield Fault("expected more than 0 s", ("slot",))
        if self.window_max < self.window_min:
            yield Fault(f"the window starts with {self.window_min} slots; write as many or more", ("window_max",))


class Bursts(Section):
    """The Gilbert-Elliott model: a channel alternates between a good and a bad state, for exponential times."""

    length: Time = required("The mean duration of a burst.", "200 ms")
    every: Time = required("The mean time between the end of a burst and the begin of the next one.", "2 s")
    loss: Annotated[Fraction, Field(le=0.99), Share()] = setting(
        0.8,
        "The probability that a frame is lost if it starts during a burst. 'wireless.loss' is that of other frames.",
    )

    def faults(self) -> Iterator[Fault]:
        for name in ("length", "every"):
            if not getattr(self, name):
                yield Fault("expected more than 0 s", (name,))


class Wireless(Section):
    bandwidth: Bandwidth = setting("1 Mbit/s", "Bandwidth of each cell's uplink and of its downlink.")
    uplink: Bandwidth | None = optional("Bandwidth from host to station, if it differs.", "256 kbit/s")
    downlink: Bandwidth | None = optional("Bandwidth from station to host, if it differs.", "2 Mbit/s")
    latency: Time = setting("500 us", "Propagation time of the wireless channel.")
    beacon: Time = setting(
        "0 s", "Beacon interval; each station has a random phase. With 0 s a host detects a new cell at once."
    )
    beacon_frames: BeaconFrames | None = optional(
        "Beacons as frames: each beacon occupies the downlink, uses energy of the hosts that hear it, and may be lost. "
        "By default, beacons cost nothing.",
        {"size": "37 B"},
    )
    overlap: Time = setting(
        "0 s",
        "The time for which a host that has entered a cell is still in reach of its last station. It keeps this "
        "station until it detects the new one and the frames in transit have arrived. With 0 s, cells do not overlap.",
    )
    medium: Literal["dedicated", "shared", "csma"] = setting(
        "dedicated",
        "'dedicated': each host has an uplink and a downlink of its own; 'shared': all hosts of a cell share one "
        "uplink and one downlink, which transmit frames one after another, in the order in which they were ready; "
        "'csma': all frames of a cell share one half-duplex medium, with the contention of IEEE 802.11 (CSMA/CA).",
    )
    broadcast: Flag = setting(
        False,
        "With 'medium: shared': frames of one message to several hosts of a cell that wait for the downlink are one "
        "transmission, with the payload and the stamps once.",
    )
    contention: Contention | None = optional(
        "The parameters of 'medium: csma'; by default, those of Bianchi (2000).", {"window_min": 32, "window_max": 256}
    )
    cells: tuple[CellAir, ...] = setting(
        (), "Single cells with a different bandwidth.", [{"cell": 3, "bandwidth": "256 kbit/s"}]
    )
    loss: Annotated[Fraction, Field(le=0.99), Share()] = setting(
        0.0,
        "The probability that a frame is lost. A lost frame is retransmitted until it is received, and occupies its "
        "channel until then: losses cost time, bytes and energy, but no message is lost.",
    )
    bursts: Bursts | None = optional(
        "Periods in which more frames are lost. Each host has its own, on its uplink and on its downlink.",
        {"length": "200 ms", "every": "2 s"},
    )
    bit_error_rate: Annotated[Fraction, Field(le=0.01), Share()] = setting(
        0.0, "The probability of a bit error. A frame with a bit error is lost, so long frames are lost more often."
    )
    retry: Time = setting("0 s", "The delay before a lost frame is retransmitted.")
    retries: Annotated[Whole, Field(ge=1)] | None = optional(
        "The number of attempts after which a frame is given up (7 in IEEE 802.11). Its host is then cut off: all its "
        "frames are lost, and it registers again. By default, frames are repeated until they are received.",
        7,
    )
    rejoin: Time = setting(
        "100 ms", "The time after which a host that was cut off registers again, or waits for the next beacon."
    )
    doze: Doze | None = optional(
        "Power save: idle hosts doze and wake up at beacons; by default, they never doze. Frames to a dozing host wait "
        "for the next beacon; its own frames are sent at once. A wake-up costs energy.switch.",
        {"after": "100 ms", "listen": "2 ms"},
    )

    @property
    def up(self) -> int:
        return self.uplink or self.bandwidth

    @property
    def down(self) -> int:
        return self.downlink or self.bandwidth

    @property
    def contention_rules(self) -> Contention:
        return self.contention or Contention()

    @property
    def plain(self) -> bool:
        """Whether channels are dedicated, without loss, equal in all cells, and without power save or beacon frames."""
        return self.medium == "dedicated" and not (self.cells or self.lossy or self.doze or self.beacon_frames)

    @property
    def lossy(self) -> bool:
        return bool(self.loss or self.bit_error_rate or self.bursts)

    def faults(self) -> Iterator[Fault]:
        for other in ("loss", "bursts"):
            if getattr(self, other) and self.bit_error_rate:
                reason = f"frames are lost by '{other}' or by 'bit_error_rate'; leave one of them out"
                yield Fault(reason, ("bit_error_rate",))
        if self.retry and not self.lossy:
            yield Fault(
                "without losses, no frame is retransmitted; write a loss too, or leave this key out", ("retry",)
            )
        yield from self._csma_faults()
        if self.broadcast and self.medium != "shared":
            yield Fault("only a shared downlink has several receivers; write 'medium: shared'", ("broadcast",))
        if self.broadcast and self.doze is not None:
            yield Fault("power save is not simulated with 'broadcast'; leave one of them out", ("doze",))
        if self.retries is not None and not self.lossy and self.medium != "csma":
            yield Fault("without losses, no frame is given up; write a loss too, or leave this key out", ("retries",))
        if self.changed("rejoin") and self.retries is None:
            yield Fault("without 'retries', no host is cut off; write it too, or leave this key out", ("rejoin",))
        if self.beacon_frames is not None and not self.beacon:
            yield Fault("there are no beacons; write 'beacon: 100 ms', or leave this key out", ("beacon_frames",))
        yield from self._doze_faults()
        for index in repeated(one.cell for one in self.cells):
            yield Fault(f"cell {self.cells[index].cell} occurs twice", ("cells", index, "cell"))

    def _csma_faults(self) -> Iterator[Fault]:
        if self.medium != "csma":
            if self.contention is not None:
                yield Fault("only 'medium: csma' has contention; write it too, or leave this key out", ("contention",))
            return
        if self.retry:
            yield Fault("with 'medium: csma' a lost frame is repeated after a backoff; leave this key out", ("retry",))
        if self.doze is not None:
            yield Fault("power save is not simulated with 'medium: csma'; leave one of them out", ("doze",))

    def _doze_faults(self) -> Iterator[Fault]:
        if self.doze is None:
            return
        if not self.beacon:
            yield Fault("dozing hosts wake up at beacons, but there are none; write 'beacon: 100 ms'", ("doze",))
        elif self.doze.listen >= self.beacon:
            message = (
                f"hosts that listen for {TIME.write(self.doze.listen)} of every {TIME.write(self.beacon)} never doze"
            )
            yield Fault(f"{message}; write less than wireless.beacon", ("doze", "listen"))

    def misfits(self, scenario: "Scenario") -> Iterator[Fault]:
        if scenario.network == "cells":
            yield from self._long_beacons(scenario.sizes.header)
        if self.overlap and scenario.mobility.gap.mean:
            yield Fault("with 'mobility.gap', cells do not overlap; leave one of them out", ("overlap",))
        count = scenario.cells.count if scenario.network == "cells" else None
        for place, one in enumerate(self.cells):
            if count is not None and one.cell >= count:
                message = f"there is no cell {one.cell}; cells are numbered from 0 to {count - 1}"
                yield Fault(message, ("cells", place, "cell"))

    def _long_beacons(self, header: int) -> Iterator[Fault]:
        """Yield a fault if beacons leave no time for frames on the slowest downlink."""
        if self.beacon_frames is None or not self.beacon:
            return
        slowest = min([self.down, *(one.downlink or one.bandwidth or self.down for one in self.cells)])
        size = header + self.beacon_frames.size
        if (lasts := -(size * 8 * 10**9 // -slowest)) >= self.beacon:
            message = f"a beacon of {size} B takes {TIME.write(lasts)} at {BANDWIDTH.write(slowest)}"
            yield Fault(
                f"{message}; write less than wireless.beacon, {TIME.write(self.beacon)}", ("beacon_frames", "size")
            )
