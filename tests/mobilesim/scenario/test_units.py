"""Errors about misspelt units, and the corrections that these errors suggest."""

import re

import pytest

from mobilesim.scenario.values import distributions, units

NAMED = "(write '7 ms', 'constant 7 ms', 'exponential 100 ms', 'uniform 1 s 3 s', 'pareto 1.5 1 s')"


@pytest.mark.parametrize(
    ("measure", "text", "error"),
    (
        (units.BANDWIDTH, "2 mbit/s", "'2 mbit/s' is not a bandwidth; did you mean '2 Mbit/s'?"),
        (units.BANDWIDTH, "1 Kbps", "'1 Kbps' is not a bandwidth; did you mean '1 kbps'?"),
        (units.BANDWIDTH, "2 MB", "'2 MB' is not a bandwidth; did you mean '2 MB/s' or '2 Mbit/s'?"),
        (units.BANDWIDTH, "2 MBps", "'2 MBps' is not a bandwidth; did you mean '2 MB/s' or '2 Mbps'?"),
        (units.BANDWIDTH, "2e6", "'2e6' has no unit; write '2e6 bit/s', '2e6 kbit/s' or '2e6 Mbit/s'"),
        (units.BANDWIDTH, "256", "'256' has no unit; write '256 bit/s', '256 kbit/s' or '256 Mbit/s'"),
        (units.BANDWIDTH, "256 kb/s", "'256 kb/s' is not a bandwidth; did you mean '256 kbit/s' or '256 kB/s'?"),
        (units.BANDWIDTH, "256 mb/s", "'256 mb/s' is not a bandwidth; did you mean '256 Mbit/s' or '256 MB/s'?"),
        (units.BANDWIDTH, "256 kbits", "'256 kbits' is not a bandwidth; did you mean '256 kbit/s'?"),
        (units.BANDWIDTH, "2 Mb", "'2 Mb' is not a bandwidth; did you mean '2 Mbit/s' or '2 MB/s'?"),
        (units.BANDWIDTH, "2 Mbits/sec", "'2 Mbits/sec' is not a bandwidth; did you mean '2 Mbit/s'?"),
        (units.BANDWIDTH, "2 megabits", "'2 megabits' is not a bandwidth; write a number and a unit, like '7 Mbit/s'"),
        (units.TIME, "2 sec", "'2 sec' is not a time; did you mean '2 s'?"),
        (units.TIME, "1 hours", "'1 hours' is not a time; did you mean '1 h'?"),
        (units.TIME, "3 Minutes", "'3 Minutes' is not a time; did you mean '3 min'?"),
        (units.LENGTH, "5 metres", "'5 metres' is not a length; did you mean '5 m'?"),
        (units.SPEED, "36 kmh", "'36 kmh' is not a speed; did you mean '36 km/h'?"),
        (units.SIZE, "100 bytes", "'100 bytes' is not a size; did you mean '100 B'?"),
        (units.LENGTH, "7", "'7' has no unit; write '7 m' or '7 km'"),
        (units.SPEED, "50", "'50' has no unit; write '50 m/s' or '50 km/h'"),
        (units.POWER, "830", "'830' has no unit; write '830 W' or '830 mW'"),
        (units.ENERGY, "500", "'500' has no unit; write '500 J' or '500 mJ'"),
        (units.SIZE, "100", "'100' has no unit; write '100 B' or '100 kB'"),
        (units.SIZE, "1 KB", "'1 KB' is not a size; did you mean '1 kB' or '1 KiB'?"),
        (units.TIME, "5 m", "'5 m' is not a time (m is metres); did you mean '5 min' or '5 s'?"),
        (units.TIME, "3 S", "'3 S' is not a time; did you mean '3 s'?"),
        (units.TIME, "3 parsecs", "'3 parsecs' is not a time; write a number and a unit, like '7 ms'"),
        (units.LENGTH, "5 KM", "'5 KM' is not a length; did you mean '5 km'?"),
    ),
)
def test_the_error_of_a_misspelt_unit_suggests_the_nearest_unit(measure: units.Measure, text: str, error: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(error)}$"):
        measure.read(text)


@pytest.mark.parametrize(
    ("text", "error"),
    (
        ("exp(2)", f"there is no distribution 'exp'; did you mean 'exponential'? {NAMED}"),
        ("Uniform 1 s 2 s", f"there is no distribution 'Uniform'; did you mean 'uniform'? {NAMED}"),
        ("normal 2 s 1 s", f"there is no distribution 'normal' {NAMED}"),
        ("exponential(2s)", "'exponential(2s)' is not a distribution; write it like 'exponential 100 ms'"),
    ),
)
def test_an_unknown_distribution_is_refused_with_the_known_ones(text: str, error: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(error)}$"):
        distributions.read(text)
