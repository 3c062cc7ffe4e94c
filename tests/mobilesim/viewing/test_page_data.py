"""The tape in a page: nothing is lost, and it is small."""

import numpy as np
import pytest

from mobilesim.errors import UserError
from mobilesim.tape.events import COLUMNS, Tape
from mobilesim.tape.tape_builder import DELIVERED, TapeBuilder
from mobilesim.viewing import page as pages
from mobilesim.viewing.page import frame, page
from tests.support.viewed_tapes import decoded, embedded_text, header, random_tape


@pytest.mark.parametrize("events", (0, 1, 7, 400))
def test_a_page_has_the_same_events_in_the_same_order(events: int) -> None:
    tape = random_tape(events, seed=events)
    found, columns, names = decoded(embedded_text(tape))
    assert tuple(names) == tape.names
    assert found["cells"] == list(tape.header.cells)
    for name in COLUMNS:
        assert np.array_equal(columns[name], tape.columns[name]), name


def test_events_at_the_same_time_keep_their_order() -> None:
    builder = TapeBuilder()
    for message in (3, 1, 2):
        builder.add(DELIVERED, 5, 5, 1, -1, message, 0, builder.name(f"n{message}"), -1)
    _, columns, _ = decoded(embedded_text(builder.tape(header())))
    assert columns["message"].tolist() == [3, 1, 2]


def test_names_of_a_scenario_do_not_become_markup() -> None:
    builder = TapeBuilder()
    builder.add(DELIVERED, 5, 5, 1, -1, 0, 0, builder.name("</script><b>"), -1)
    tape = builder.tape(header("</title><script>alert(1)</script>"))
    written = page(tape)
    assert "<script>alert" not in written
    assert "&lt;script&gt;alert" in written
    assert '"' not in frame(tape).split('srcdoc="')[1].partition('" title=')[0]


def test_a_long_tape_is_refused_with_a_part_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MAX_EVENTS", 100)
    builder = TapeBuilder()
    for each in range(101):
        builder.add(DELIVERED, each * 10_000_000, each * 10_000_000, 1, -1, each, 0, 0, -1)
    long = builder.tape(header())
    words = r"101 events are too many .* at most 100; choose a part .* --from 0ms --until 900ms"
    with pytest.raises(UserError, match=words):
        page(long)
    fitting = {name: column[:100] for name, column in long.columns.items()}
    assert "<!DOCTYPE html>" in page(Tape(long.header, fitting, long.names))
