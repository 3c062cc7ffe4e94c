"""Costs: the energy of hosts, the processing times of stations, and the sizes of headers."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal

from pydantic import model_validator

from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.values.fields import Batteries, Joules, Power, Size, Time, optional, setting
from mobilesim.scenario.values.validation_error import Fault

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

PRESETS: Final = {
    "802.11n": {"transmit": "1.14 W", "receive": "0.94 W", "idle": "0.82 W", "doze": "0.1 W"},
    "802.15.4": {
        "transmit": "52.2 mW",
        "receive": "56.4 mW",
        "idle": "56.4 mW",
        "doze": "1.278 mW",
        "compute": "5.4 mW",
    },
}
"""802.11n: one antenna at 0 dBm (Halperin et al. 2010). 802.15.4: a CC2420 at 3 V and 0 dBm, which draws 17.4 mA to
send, 18.8 mA to receive or to listen, and 426 uA while only its oscillator runs (data sheet SWRS041 of Texas
Instruments); with a microcontroller that draws 1.8 mA at 3 V (data sheet of the Tmote Sky, Moteiv 2006).
"""


class Energy(Section):
    """The defaults, except `doze`, approximate measurements by Feeney & Nilsson (2001) of a 2.4 GHz WaveLAN card."""

    preset: Literal["802.11n", "802.15.4"] | None = optional(
        "The powers of a real radio; keys beside the preset take precedence. '802.11n': one antenna, measured by "
        "Halperin, Greenstein, Sheth & Wetherall (Demystifying 802.11n power consumption, HotPower 2010); '802.15.4': "
        "a sensor's radio, from the data sheet of the CC2420 (Texas Instruments, SWRS041).",
        "802.11n",
    )
    transmit: Power = setting("1.4 W", "Power of a host's radio while it sends.")
    receive: Power = setting("1 W", "Power of the radio while it receives.")
    idle: Power = setting("0.83 W", "Power of the radio while it listens and receives nothing.")
    doze: Power = setting(
        "0.1 W", "Power of the radio while it dozes (wireless.doze); by default, the value of 802.11n."
    )
    switch: Joules = setting("0 J", "The energy of a wake-up from dozing.", "1 mJ")
    compute: Power = setting(
        "0.4 W",
        "Power of a host's processor while it works on frames (processing.hosts), in addition to its radio. The "
        "default is the upper limit of a StrongARM SA-1110 at 206 MHz (data sheet, Intel 2000), the processor of "
        "handheld computers in the years of the default radio.",
        "5.4 mW",
    )
    battery: Batteries | None = optional(
        "The energy in the battery of each host, or a distribution; a host with an empty battery leaves permanently. "
        "By default, batteries are unlimited.",
        "500 J",
    )

    @model_validator(mode="before")
    @classmethod
    def _as_measured(cls, raw: object) -> object:
        if isinstance(raw, Mapping) and isinstance(raw.get("preset"), str) and raw["preset"] in PRESETS:
            return {**PRESETS[raw["preset"]], **raw}
        return raw

    def unwritten(self) -> set[str]:
        """Return the key of the preset. The powers of the preset are written instead."""
        return {"preset"}

    def faults(self) -> Iterator[Fault]:
        if self.battery is not None and self.battery.mean == 0:
            yield Fault("hosts with empty batteries would leave at the start; write more than 0 J", ("battery",))

    def misfits(self, scenario: "Scenario") -> Iterator[Fault]:
        """Yield a fault for each protocol under which hosts would wait for ever for a host with an empty battery."""
        for choice in scenario.protocols if self.battery is not None and scenario.network == "cells" else ():
            if (message := choice.blocked_by_absence("battery")) is not None:
                yield Fault(message, ("battery",))


class HostProcessing(Section):
    """Hosts work on every frame that they send or receive, as stations do on wired packets."""

    fixed: Time | None = optional(
        "A host's processing time for each frame that it sends or receives; by default, processing.fixed.", "10 us"
    )
    per_integer: Time | None = optional(
        "A host's processing time for each integer of a frame; by default, processing.per_integer.", "1 us"
    )


class Processing(Section):
    model: Literal["fixed", "measured"] = setting(
        "fixed",
        "'fixed': fixed + per_integer x integers of the packet, reproducible; "
        "'measured': the CPU time of this machine, which differs from run to run.",
    )
    fixed: Time = setting("0 s", "A station's processing time for each wired packet that it sends or receives.")
    per_integer: Time = setting(
        "250 ns",
        "A station's processing time for each integer of a packet: ordering header, addresses, numbers, and the state "
        "of a host in a hand-off. Where hosts order messages, stations relay stamps without reading them.",
    )
    hosts: HostProcessing = setting(
        {}, "The processing times of hosts, also with the model 'measured', which measures stations only."
    )

    @property
    def of_hosts(self) -> tuple[int, int]:
        """Return a host's processing time for each frame, and for each integer of a frame."""
        fixed, per_integer = self.hosts.fixed, self.hosts.per_integer
        return self.fixed if fixed is None else fixed, self.per_integer if per_integer is None else per_integer


class Sizes(Section):
    integer: Size = setting("4 B", "Bytes of one integer of an ordering header.")
    header: Size = setting("20 B", "Bytes of every packet's fixed header.")
