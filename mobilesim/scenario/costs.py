"""What things cost: energy at hosts, processing at stations, bytes of headers."""

from typing import Literal

from mobilesim.scenario.fields import Power, Size, Time, setting
from mobilesim.scenario.section import Section


class Energy(Section):
    """The defaults are of about the size that Feeney & Nilsson (2001) measured on a 2.4 GHz WaveLAN card."""

    transmit: Power = setting("1.4 W", "Power of a host's radio while it sends.")
    receive: Power = setting("1 W", "Power while it receives.")
    idle: Power = setting("0.83 W", "Power while it listens to nothing.")


class Processing(Section):
    model: Literal["fixed", "measured"] = setting(
        "fixed",
        "'fixed': fixed + per_integer x header integers, reproducible; "
        "'measured': the CPU time of this machine, which differs from run to run.",
    )
    fixed: Time = setting("0 s", "A station's work per wired packet that it sends or receives.")
    per_integer: Time = setting("250 ns", "Its work per integer of the packet's ordering header.")


class Sizes(Section):
    integer: Size = setting("4 B", "Bytes of one integer of an ordering header.")
    header: Size = setting("20 B", "Bytes of every packet's fixed header.")
