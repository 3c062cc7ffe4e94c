"""The deliveries of a run are summed batch by batch."""

from pathlib import Path
from random import Random

import numpy as np
import pyarrow.parquet as pq
import pytest

from mobilesim.analysis.summary.delivery_totals import DeliveryTotals, delivery_totals
from mobilesim.analysis.summary.metrics import CHECK
from mobilesim.analysis.summary.results_reader import Run
from mobilesim.analysis.summary.run_metrics import observe
from mobilesim.results.quantities import DELAY_PARTS
from tests.support import made_results
from tests.support.parquet_files import write_table

BATCHES = 20


@pytest.fixture(params=(1, 7, 1 << 17))
def pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mobilesim.analysis.summary.results_reader.BATCH_ROWS", request.param)


def written(directory: Path, rows: list[made_results.Row]) -> Run:
    name = made_results.run(directory, deliveries=0)
    constants = {"run_id": name, "protocol": "av1", "replication": 0}
    made_results.write(directory, "deliveries", name, [row | constants for row in rows])
    return Run(str(directory), name, "av1", 0, 0, 0, complete=True, counts=(("deliveries", len(rows)),))


def drawn(count: int) -> list[made_results.Row]:
    draw = Random(count)
    return sorted((made_results.delivery(draw, message) for message in range(count)), key=lambda row: row["delivered"])


def same(one: DeliveryTotals, other: DeliveryTotals) -> bool:
    return (one.faults, one.first, one.payload) == (other.faults, other.first, other.payload) and all(
        (one.sums[metric] == other.sums[metric]).all() for metric in {*one.sums, *other.sums}
    )


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("count", (0, 1, 19, 20, 143))
def test_sums_of_batches_equal_those_of_their_rows(tmp_path: Path, count: int) -> None:
    rows = drawn(count)
    seen = delivery_totals(written(tmp_path, rows), BATCHES)
    edges = [batch * count // BATCHES for batch in range(BATCHES + 1)]
    for name in ("delay", *DELAY_PARTS, "header_bytes"):
        wanted = [sum(row.get(name, 0) for row in rows[edges[n] : edges[n + 1]]) for n in range(BATCHES)]
        assert seen.sums[name].tolist() == wanted
    assert seen.sums["inhibited"].sum() == sum(row["inhibition"] > 0 for row in rows)
    assert (seen.rows, seen.payload) == (count, sum(row.get("payload_bytes", 0) for row in rows))
    assert seen.faults == 0


@pytest.mark.usefixtures("pieces")
def test_rows_out_of_time_order_are_sorted(tmp_path: Path) -> None:
    rows = drawn(143)
    shuffled = Random(5).sample(rows, len(rows))
    one, other = (written(tmp_path / name, several) for name, several in (("one", rows), ("other", shuffled)))
    assert same(delivery_totals(one, BATCHES), delivery_totals(other, BATCHES))


@pytest.mark.usefixtures("pieces")
def test_the_first_row_that_does_not_add_up_is_reported(tmp_path: Path) -> None:
    rows = drawn(100)
    rows[61]["delay"] += 1
    rows[83]["wired"] -= 10**12
    run = written(tmp_path, rows)
    seen = delivery_totals(run, BATCHES)
    assert (seen.faults, seen.first) == (2, 61)
    (check,) = (observation for observation in observe(run) if observation.metric == CHECK)
    assert check.note is not None
    assert f"message {rows[61]['message']} " in check.note


def test_a_negative_part_is_a_fault_even_if_the_sum_is_correct(tmp_path: Path) -> None:
    rows = drawn(30)
    rows[12]["wired"], rows[12]["processing"] = -5, rows[12]["processing"] + rows[12]["wired"] + 5
    assert delivery_totals(written(tmp_path, rows), BATCHES).faults == 1


@pytest.mark.full
def test_a_long_run_is_read_in_batches_of_bounded_length(tmp_path: Path) -> None:
    run = written(tmp_path, drawn(1))
    path = tmp_path / "deliveries" / f"{run.run_id}.parquet"
    table = pq.read_table(path)
    write_table(table.take(np.zeros(300_000, np.int64)), path)
    lengths = [piece.num_rows for piece in run.batches("deliveries", "delay")]
    assert sum(lengths) == 300_000
    assert max(lengths) <= 1 << 17
