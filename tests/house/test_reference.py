"""The generated reference pages agree with the parsers, the schema, the catalogue and the docstrings."""

import argparse
import inspect
import re

import mobilesim
from mobilesim.cli.main import COMMANDS, build_parser
from mobilesim.protocols.catalogue import ORDERINGS, PLACEMENTS, ROWS
from mobilesim.scenario import bundled
from mobilesim.scenario.json_schema import schema
from mobilesim.scenario.loader import load
from tests.house.reference.all_pages import GENERATED_FOLDERS, all_pages
from tests.house.reference.markdown import prose
from tests.house.tree import ROOT

PAGES = all_pages()


def test_the_generated_pages_are_up_to_date() -> None:
    """After a change of commands, keys, protocols or docstrings, `python -m tests.house.reference` writes them."""
    stale = [name for name, text in PAGES.items() if _written(name) != text]
    assert stale == [], "write the pages again: python -m tests.house.reference"


def test_the_folders_of_generated_pages_have_no_other_page() -> None:
    kept = [path.relative_to(ROOT).as_posix() for folder in GENERATED_FOLDERS for path in (ROOT / folder).rglob("*")]
    assert [name for name in kept if name.endswith(".md") and name not in PAGES] == []


def test_every_command_and_every_option_is_on_the_page_of_commands() -> None:
    text = PAGES["docs/reference/commands.md"]
    (chosen,) = (each for each in build_parser()._actions if isinstance(each, argparse._SubParsersAction))
    sections = dict(part.split("\n", 1) for part in text.split("\n### ")[1:])
    assert list(sections) == list(COMMANDS)
    for name, command in chosen.choices.items():
        options = [option for action in command._actions for option in action.option_strings if action.dest != "help"]
        assert [option for option in options if option not in sections[name]] == []


def test_every_key_of_a_scenario_is_on_the_page_of_keys() -> None:
    text = PAGES["docs/reference/scenario.md"]
    root = schema()
    sections = [section for name, section in root["$defs"].items() if name != "ProtocolChoice"]
    keys = {key for section in (root, *sections) for key in section.get("properties", {})}
    assert {key for key in keys if f"| `{key}` |" not in text} == set()
    assert "| `dwell` | a time or a distribution of times | `exponential 10 s` | The time that a host stays" in text


def test_every_public_name_and_parameter_is_on_the_page_of_the_python_api() -> None:
    text = PAGES["docs/reference/python-api.md"]
    for name in mobilesim.__all__:
        thing = getattr(mobilesim, name)
        assert name.startswith("__") or f"\n## {name}\n" in text
        if inspect.isfunction(thing):
            assert all(f"{parameter}:" in text for parameter in inspect.signature(thing).parameters)
    assert "### RunResults.deliveries\n" in text
    assert "### Table.pandas\n" in text


def test_every_protocol_ordering_and_placement_has_a_page() -> None:
    expected = {f"docs/protocols/{name}.md" for name in ("README", *ROWS)}
    expected |= {f"docs/protocols/orderings/{name}.md" for name in ORDERINGS}
    expected |= {f"docs/protocols/placements/{name}.md" for name in PLACEMENTS}
    assert {name for name in PAGES if name.startswith("docs/protocols/")} == expected
    assert "Theory. SENT[k, j] at a process" in PAGES["docs/protocols/orderings/rst.md"]


def test_every_bundled_scenario_is_in_the_gallery() -> None:
    text = PAGES["docs/gallery.md"]
    names = (*bundled.names(), *bundled.sweeps(), *bundled.studies())
    assert [name for name in names if f"## {name}\n" not in text and f"| `{name}` |" not in text] == []


def test_the_gallery_begins_with_the_quickstart_and_then_has_the_smallest_networks_of_each_section_first() -> None:
    text = PAGES["docs/gallery.md"]
    first, *_ = re.findall(r"^### (.+)$", text, re.MULTILINE)
    assert first == "quickstart"
    for section in text.split("\n## ")[1:]:
        names = [name for name in re.findall(r"^### (.+)$", section, re.MULTILINE) if "/" in name]
        hosts = [load(bundled.find(name)).hosts for name in names]
        assert hosts == sorted(hosts), names


def test_a_list_in_a_docstring_gets_an_empty_line_above_it() -> None:
    assert prose("Text:\n- a\n- b\n\n\n- c\n- <d>") == "Text:\n\n- a\n- b\n\n- c\n- &lt;d>\n"


def _written(name: str) -> str | None:
    path = ROOT / name
    return path.read_text(encoding="utf-8") if path.exists() else None
