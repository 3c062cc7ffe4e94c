"""Input files of a scenario may be compressed with gzip, whatever their names are."""

import gzip
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mobilesim.errors import UserError
from mobilesim.experiments.execute import dry_run
from mobilesim.scenario.loader import load
from mobilesim.scenario.message_file import messages
from mobilesim.scenario.referenced_files import record
from mobilesim.world.replication import build_world

MESSAGES: Final = "time,source,destinations\n1,0,1\n2,1,0\n"
SITES: Final = "\ufeffx,y,name\r\n0,0,harbour\r\n700,0,hill\r\n"
GRAPH: Final = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="x" for="node" attr.name="x" attr.type="double"/>'
    '<key id="y" for="node" attr.name="y" attr.type="double"/><graph edgedefault="undirected">'
    '<node id="a"><data key="x">0</data><data key="y">0</data></node>'
    '<node id="b"><data key="x">900</data><data key="y">30</data></node>'
    '<edge source="a" target="b"/></graph></graphml>'
)
SCENARIO: Final = (
    "hosts: 2\nworkload: {replay: messages}\ncells: {shape: sites, file: SITES}\n"
    "backbone: {topology: graphml, file: graph}\nmobility: {model: waypoint}\n"
)


def write_scenario(folder: Path, sites: str, *, packed: bool) -> Path:
    folder.mkdir()
    for name, text in {"messages": MESSAGES, "sites": SITES, "graph": GRAPH}.items():
        content = text.encode()
        (folder / name).write_bytes(gzip.compress(content) if packed else content)
    (folder / "some.yaml").write_text(SCENARIO.replace("SITES", sites), encoding="utf-8")
    return folder / "some.yaml"


@pytest.mark.parametrize("sites", ("sites", "graph"))
def test_a_compressed_file_is_read_like_an_uncompressed_one(sites: str, tmp_path: Path) -> None:
    plain, packed = (
        load(write_scenario(tmp_path / name, sites, packed=name == "packed")) for name in ("plain", "packed")
    )
    one, other = build_world(plain, 0), build_world(packed, 0)
    assert one.plane is not None
    assert one.plane == other.plane
    assert one.topology.wire(0, 1) == other.topology.wire(0, 1)
    files = [scenario.workload.replay for scenario in (plain, packed)]
    first, second = (messages(file) for file in files if file is not None)
    assert (first.times, first.destinations) == (second.times, second.destinations)


def test_a_compressed_graph_of_cells_is_read(tmp_path: Path) -> None:
    (tmp_path / "cells.graphml").write_bytes(gzip.compress(GRAPH.encode()))
    (tmp_path / "some.yaml").write_text("cells: {shape: graph, file: cells.graphml}\n", encoding="utf-8")
    assert build_world(load(tmp_path / "some.yaml"), 0).stations == 2


def test_a_compressed_table_of_messages_is_read(tmp_path: Path) -> None:
    table = pa.table(
        {"submitted": [5], "source": [0], "destinations": [[1]], "payload_bytes": [9]},
    )
    pq.write_table(table, tmp_path / "plain")
    (tmp_path / "packed").write_bytes(gzip.compress((tmp_path / "plain").read_bytes()))
    assert messages(tmp_path / "packed") == messages(tmp_path / "plain")


def test_a_record_of_a_scenario_with_compressed_files_is_read_again(tmp_path: Path) -> None:
    scenario = load(write_scenario(tmp_path / "packed", "sites", packed=True))
    kept = record(scenario)
    for name, content in kept.files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "again.yaml").write_text(kept.text, encoding="utf-8")
    assert load(tmp_path / "again.yaml").hash == scenario.hash


@pytest.mark.parametrize(
    ("name", "where"),
    (("messages", "workload.replay: "), ("sites", "cells.file: "), ("graph", "backbone.file: ")),
)
def test_a_truncated_compressed_file_causes_one_error_line(name: str, where: str, tmp_path: Path) -> None:
    scenario = write_scenario(tmp_path / "packed", "sites", packed=True)
    file = scenario.with_name(name)
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(UserError) as refused:
        dry_run(load(scenario))
    assert str(refused.value).endswith(f"{where}{file}: the gzip data is cut off; copy the file again")
