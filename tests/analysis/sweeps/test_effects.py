"""The sentences and tables on the effects of variants, from synthetic summaries."""

from mobilesim.analysis.summary.model import ProtocolSummary
from mobilesim.analysis.sweeps.effects import column, sentences, table_rows
from mobilesim.analysis.sweeps.variants import Comparison
from tests.support.summaries import MS, estimate, protocol


def measured(name: str, delay: float, energy: float, noise: float = 0.01) -> ProtocolSummary:
    """Return a protocol with this delay in ms and energy in mJ. `noise`: the relative noise of its second run."""
    delays = (delay * MS, delay * MS * (1 + noise), delay * MS * (1 - noise))
    joules = tuple(energy / 1000 * each for each in (1.0, 1 + noise, 1 - noise))
    own = {"delay": estimate(delay * MS, MS, delays), "host.energy": estimate(energy / 1000, 0.001, joules)}
    return protocol(name, estimates={**protocol().estimates, **own})


def compared(variant: str, left: ProtocolSummary, right: ProtocolSummary) -> Comparison:
    return Comparison(("variant",), (variant,), left, right)


def test_a_common_effect_is_what_the_variant_saves_and_costs() -> None:
    found = [
        compared("dozing", measured("av1", 50, 37), measured("av1", 13, 100)),
        compared("dozing", measured("rst", 60, 39), measured("rst", 23, 100)),
    ]
    assert sentences(found) == [
        "'dozing' saves 61 to 63 % of energy per delivery and costs 37 ms of mean delay (161 to 285 % more)."
    ]


def test_things_that_are_counted_are_caused_or_avoided() -> None:
    def died(*counts: int) -> ProtocolSummary:
        return protocol("av1", estimates={**protocol().estimates, "host.died": estimate(counts[0], 1.0, counts)})

    more, fewer = died(24, 23, 25), died(1, 0, 2)
    assert sentences([compared("small batteries", more, fewer)]) == [
        "'small batteries' causes 23 hosts out of battery per run."
    ]
    assert sentences([compared("large batteries", fewer, more)]) == [
        "'large batteries' avoids 23 hosts out of battery per run."
    ]


def test_effects_in_different_directions_are_listed_by_protocol() -> None:
    found = [
        compared("ring", measured("av1", 20, 100), measured("av1", 10, 100)),
        compared("ring", measured("rst", 20, 100), measured("rst", 40, 100)),
        compared("ring", measured("ab", 30, 100, noise=0.9), measured("ab", 30, 100)),
    ]
    assert sentences(found) == [
        (
            "'ring' has different effects on mean delay: +10 ms with av1, -20 ms with rst, "
            "no significant effect in 1 of 3 comparisons."
        )
    ]


def test_a_variant_without_effect_says_so() -> None:
    same = measured("av1", 10, 100)
    assert sentences([compared("none", same, same)]) == [
        "'none' has no significant effect on mean delay, energy per delivery and bytes per delivery."
    ]


def test_a_small_effect_is_in_the_table_but_has_no_sentence() -> None:
    found = [compared("tiny", measured("av1", 10.05, 100), measured("av1", 10, 100))]
    assert "no significant effect" in sentences(found)[0]
    assert ["mean delay (µs)", "+50 (+0.50 %)"] in list(table_rows(found))


def test_each_variant_has_a_sentence_and_a_replaced_protocol_is_named() -> None:
    base = measured("av1", 10, 100)
    found = [compared("slow", measured("av1", 20, 100), base), compared("on the hosts", measured("rst", 30, 100), base)]
    assert [sentence.split("' ")[0] for sentence in sentences(found)] == ["'slow", "'on the hosts"]
    assert [column(each) for each in found] == ["av1", "rst instead of av1"]


def test_cells_of_the_table_have_the_difference_and_its_ratio_or_a_sign() -> None:
    found = [
        compared("x", measured("av1", 30, 100), measured("av1", 10, 100)),
        compared("x", measured("rst", 9, 100, noise=0.9), measured("rst", 10, 100)),
    ]
    assert list(table_rows(found)) == [["mean delay (ms)", "+20 (x 3)", "≈"]]
