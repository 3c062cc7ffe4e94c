"""Valid scenarios: how their settings are read."""

import re
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mobilesim.scenario.loader import load, loads
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.backbone import Backbone
from mobilesim.scenario.sections.cells import Cells, most_square
from mobilesim.scenario.sections.measurement import WarmUp
from mobilesim.scenario.sections.static_network import Links
from mobilesim.scenario.sections.wireless import Wireless
from mobilesim.scenario.sections.workload import Workload
from mobilesim.scenario.template import template
from mobilesim.scenario.values import distributions, units
from mobilesim.scenario.values.distributions import Constant, Distribution, Exponential, Pareto, Uniform

MS = 10**6
S = 10**9
TIMES = st.integers(min_value=1, max_value=100 * S)


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    (
        ("7 ms", 7 * MS),
        ("7ms", 7 * MS),
        (" 0.1 s ", 100 * MS),
        ("500 us", 500_000),
        ("500 µs", 500_000),
        ("500 μs", 500_000),
        ("1 ns", 1),
        ("2 min", 120 * S),
        ("1.5 h", 5400 * S),
        ("1e-3 s", MS),
        (".5 s", 500 * MS),
        ("+1 s", S),
        ("0 s", 0),
        ("0.123456789 s", 123_456_789),
    ),
)
def test_a_time_is_read_exactly(text: str, nanoseconds: int) -> None:
    assert loads(f"wireless: {{beacon: '{text}'}}").wireless.beacon == nanoseconds


@pytest.mark.parametrize(
    ("text", "bits"),
    (
        ("1 Mbit/s", 10**6),
        ("64 kbit/s", 64_000),
        ("9600 bit/s", 9600),
        ("1.5 Gbit/s", 1_500_000_000),
        ("1 kB/s", 8000),
        ("1 KiB/s", 8192),
        ("60 bit/min", 1),
        ("2 Mbps", 2 * 10**6),
        ("256 kbps", 256_000),
        ("2 MB/s", 16 * 10**6),
    ),
)
def test_a_bandwidth_is_in_bits_per_second(text: str, bits: int) -> None:
    assert loads(f"wireless: {{bandwidth: {text}}}").wireless.bandwidth == bits


@pytest.mark.parametrize(("text", "size"), (("100 B", 100), ("1.5 kB", 1500), ("2 KiB", 2048), ("32 bit", 4)))
def test_a_size_is_in_bytes(text: str, size: int) -> None:
    assert loads(f"workload: {{payload: {text}}}").workload.payload == Constant(size, units.SIZE)


def test_a_power_is_in_watts() -> None:
    assert loads("energy: {transmit: 830 mW}").energy.transmit == 0.83


@pytest.mark.parametrize(("text", "metres"), (("500 m", 500), ("1.5km", 1500), ("250000 mm", 250)))
def test_a_length_is_in_metres(text: str, metres: float) -> None:
    assert loads(f"cells: {{spacing: {text}}}").cells.spacing == metres


@pytest.mark.parametrize(("text", "speed"), (("1.4 m/s", 1.4), ("36 km/h", 10), ("6 m/min", 0.1)))
def test_a_speed_is_in_metres_per_second(text: str, speed: float) -> None:
    assert units.SPEED.read(text) == speed


@given(st.sampled_from((units.LENGTH, units.SPEED)), st.floats(1e-9, 1e5))
def test_written_lengths_and_speeds_are_read_back(measure: units.Measure, value: float) -> None:
    assert measure.read(measure.write(value)) == value


@given(TIMES)
def test_written_times_are_read_back(nanoseconds: int) -> None:
    assert units.TIME.read(units.TIME.write(nanoseconds)) == nanoseconds


@pytest.mark.parametrize(
    ("text", "distribution", "mean"),
    (
        ("7 ms", Constant(7 * MS), 7 * MS),
        ("constant 7 ms", Constant(7 * MS), 7 * MS),
        ("exponential 0.1 s", Exponential(100 * MS), 100 * MS),
        ("uniform 1 s 3 s", Uniform(S, 3 * S), 2 * S),
        ("uniform  1s   3s", Uniform(S, 3 * S), 2 * S),
        ("pareto 1.5 1 s", Pareto(1.5, S), 3 * S),
        ("pareto 1 1 s", Pareto(1, S), inf),
    ),
)
def test_a_distribution_is_read_with_its_parameters(text: str, distribution: Distribution, mean: float) -> None:
    found = loads(f"mobility: {{dwell: {text}}}").mobility.dwell
    assert (found, found.mean) == (distribution, mean)


@given(
    st.one_of(
        st.builds(Constant, TIMES),
        st.builds(Exponential, TIMES),
        st.tuples(TIMES, TIMES).map(lambda pair: Uniform(min(pair), max(pair))),
        st.builds(Pareto, st.floats(min_value=1e-3, max_value=1e3), TIMES),
    )
)
def test_written_distributions_are_read_back(distribution: Distribution) -> None:
    assert distributions.read(str(distribution)) == distribution


def test_five_lines_make_a_scenario() -> None:
    scenario = loads("protocols: [av1, rst]\nhosts: 50\ncells: 9\nduration: 10 s\nseed: 3\n", "five.yaml")
    assert scenario.name == "five"
    assert [choice.label for choice in scenario.protocols] == ["av1", "rst"]
    assert (scenario.hosts, scenario.cells.count, scenario.duration) == (50, 9, 10 * S)


def test_the_default_duration_is_a_minute() -> None:
    assert Scenario().duration == 60 * S
    assert Scenario(messages=7).duration is None
    assert Scenario(messages=7, duration="3 s").duration == 3 * S


def test_an_empty_section_has_its_defaults() -> None:
    assert loads("seed: 1\nwireless:\nmobility:\n  disconnect:\n") == Scenario()


def test_a_merged_anchor_supplies_missing_keys() -> None:
    links = "backbone:\n  links:\n    - &slow {between: [0, 1], latency: 1 s}\n    - {<<: *slow, between: [1, 2]}\n"
    first, second = loads(links).backbone.links
    assert (first.between, second.between) == ((0, 1), (1, 2))
    assert first.latency == second.latency == S


def test_a_number_of_cells_gives_the_squarest_grid() -> None:
    grids = {count: most_square(count) for count in (1, 7, 9, 10, 12, 100)}
    assert grids == {1: (1, 1), 7: (1, 7), 9: (3, 3), 10: (2, 5), 12: (3, 4), 100: (10, 10)}
    assert loads("cells: 12").cells == Cells(rows=3, columns=4)


def test_a_graph_of_cells_counts_its_cells_and_sorts_its_edges() -> None:
    cells = loads("cells: {shape: graph, edges: [[2, 1], [1, 0], [0, 1]]}").cells
    assert (cells.count, cells.edges) == (3, ((0, 1), (1, 2)))


def test_a_single_protocol_needs_no_list() -> None:
    assert loads("protocols: av1").protocols == loads("protocols: [av1]").protocols


def test_a_protocols_label_shows_its_changed_options() -> None:
    eager, lazy = loads("protocols: [av1, {name: av1, location: lazy}]").protocols
    assert (eager.label, lazy.label) == ("av1", "av1 location=lazy")
    assert eager.options == (("area", 0), ("location", "home"))


def test_the_label_of_a_pair_with_a_name_is_the_name() -> None:
    named, pair = loads("protocols: av1").protocols, loads("protocols: {placement: proxy, ordering: rst}").protocols
    assert named == pair


def test_a_pair_is_written_as_one_text_as_two_keys_or_by_its_name() -> None:
    written = ("proxy+fifo", "{placement: proxy, ordering: fifo}", "fifo")
    choices = {loads(f"protocols: {text}").protocols[0] for text in written}
    assert len(choices) == 1


def test_a_pair_without_a_name_is_labelled_by_its_parts() -> None:
    (choice,) = loads("protocols: {placement: resident, ordering: fifo}").protocols
    assert (choice.name, choice.placement, choice.ordering) == ("resident+fifo", "resident", "fifo")


def test_the_bandwidth_is_the_default_of_uplink_and_downlink() -> None:
    wireless = Wireless(bandwidth="1 Mbit/s", uplink="64 kbit/s")
    assert (wireless.up, wireless.down) == (64_000, 10**6)


def test_a_scenario_may_have_no_senders() -> None:
    assert Scenario(hosts=1, workload=Workload(senders=0)).hosts == 1


def test_a_multicast_to_all_fits_any_number_of_hosts() -> None:
    assert loads("hosts: 2\nworkload: {kind: multicast, destinations: all}").workload.destinations == "all"


def test_numbers_given_in_python_have_the_models_units() -> None:
    assert Backbone(latency=7 * MS, jitter=3) == Backbone(latency="7 ms", jitter="3 ns")


def test_a_scenario_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Scenario().hosts = 3  # type: ignore[misc]


def test_overrides_replace_settings_of_the_file_and_create_missing_sections() -> None:
    scenario = loads("hosts: 5\n", overrides={"hosts": "6", "backbone.latency": "1 ms", "protocols": "[av1, rst]"})
    assert (scenario.hosts, scenario.backbone.latency, len(scenario.protocols)) == (6, MS, 2)


def test_a_file_name_in_a_scenario_is_relative_to_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "wires.graphml").write_text("<graphml/>")
    (tmp_path / "inner" / "x.yaml").write_text("backbone: {topology: graphml, file: wires.graphml}\n")
    monkeypatch.chdir(tmp_path)
    scenario = load("inner/x.yaml")
    assert scenario.name == "x"
    assert scenario.backbone.file == Path("inner/wires.graphml")


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("hosts: 5\n", encoding="utf-8-sig")
    assert load(path).hosts == 5


def test_the_hash_depends_on_the_world_and_the_workload() -> None:
    same = loads("name: other\ntrace: no\noracle: no\nduration: 1 min\nprotocols: [rst, fifo]\nreplications: 7\n")
    assert same.hash == Scenario().hash
    for change in ("seed: 2", "hosts: 21", "duration: 61 s", "backbone: {jitter: 1 ns}", "energy: {idle: 0.84 W}"):
        assert loads(change).hash != Scenario().hash


def test_the_hash_depends_on_a_files_content_and_not_its_place(tmp_path: Path) -> None:
    one, other, third = (tmp_path / name for name in ("one.graphml", "other.graphml", "third.graphml"))
    for path, content in ((one, "<graphml/>"), (other, "<graphml/>"), (third, "<graphml></graphml>")):
        path.write_text(content)
    hashes = [Scenario(cells=Cells(shape="graph", file=path)).hash for path in (one, other, third)]
    assert hashes[0] == hashes[1] != hashes[2]


def test_the_normal_form_is_a_valid_scenario() -> None:
    scenario = loads(
        "backbone: {topology: ring, jitter: pareto 1.5 3 us, links: [{between: [0, 1], latency: 1.5 s}]}\n"
        "mobility: {dwell: uniform 1 s 2500 ms}\n",
        "scenario.yaml",
    )
    assert Scenario.model_validate(scenario.normal_form()) == scenario


def test_the_template_is_the_default_scenario() -> None:
    assert loads(template()) == Scenario()


def test_the_template_explains_each_of_its_keys() -> None:
    lines = [line.strip() for line in template().splitlines() if line.strip()]
    keys = [place for place, line in enumerate(lines) if line.removeprefix("# ").split(":")[0].isidentifier()]
    assert len(keys) > 50
    assert all(lines[place - 1].startswith("# ") for place in keys)


def uncommented(text: str, *keys: str) -> str:
    """Return the template with these keys and their sub-keys as settings instead of comments."""
    for key in keys:
        assert f"# {key}\n" in text
        above, _, below = text.partition(f"# {key}\n")
        indent = above.rpartition("\n")[2]
        section = re.match(rf"(?:{indent}#   .*\n)*", below)
        assert section is not None
        inner = re.sub(rf"^{indent}# ", indent, section[0], flags=re.MULTILINE)
        text = f"{above}{key}\n{inner}{below[section.end() :]}"
    return text


def test_settings_that_are_comments_in_the_template_can_be_uncommented() -> None:
    text = template().replace("protocols: [av1]", "protocols: [ab]")
    keys = ("name: quickstart", "messages: 10000", "senders: 5", "uplink: 256 kbit/s", "duration: 60 s", "stations:")
    stations = "stations: {interval: exponential 1 s, destinations: 1}"
    filled = f"name: quickstart\nprotocols: ab\nmessages: 10000\nduration: 60 s\nworkload: {{senders: 5, {stations}}}\n"
    assert loads(uncommented(text, *keys)) == loads(f"{filled}wireless: {{uplink: 256 kbit/s}}\n")


def test_the_template_has_every_key_of_a_static_network() -> None:
    """The keys are comments. Those of `links` have their defaults; `warm_up.deliveries` has no default."""
    shown = uncommented(template(), "links:", "warm_up:")
    own = [part for part in shown.split("\n\n") if re.search(r"^(links|warm_up|network):", part, re.MULTILINE)]
    mesh = loads("\n".join(own).replace("network: cells", "network: static"))
    assert mesh.links == Links()
    assert mesh.warm_up == WarmUp(deliveries=5000)
    assert re.findall(r"^  (?:# )?(\w+): ", "\n".join(own), re.MULTILINE) == ["deliveries", *Links.model_fields]
