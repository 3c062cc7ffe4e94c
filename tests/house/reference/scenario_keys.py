"""The page on the keys of scenarios, made from their JSON Schema."""

from collections.abc import Iterator
from typing import Any, Final

from mobilesim.scenario.json_schema import schema
from tests.house.reference.markdown import page, table

HEAD: Final = """\
# Keys of a scenario

All keys are optional. `mobilesim init --full` writes a file with these explanations, `mobilesim validate` checks a
file, and `mobilesim schema` prints a JSON Schema for editors. The option `--set` and the keys of sweeps write a key
with its path, such as `mobility.dwell`.
"""

ELSEWHERE: Final = {"protocols": "[protocols](../protocols/README.md)"}
"""What is said of a key whose values have pages of their own."""

Node = dict[str, Any]


def pages() -> dict[str, str]:
    root = schema()
    return {"docs/reference/scenario.md": page(HEAD, *_Keys(root["$defs"]).sections("", root))}


class _Keys:
    def __init__(self, definitions: Node) -> None:
        self.definitions = definitions
        self._begun: set[str] = set()

    def sections(self, path: str, section: Node) -> Iterator[str]:
        """Yield the heading and the table of a section, then its inner sections."""
        if path not in self._begun:  # a value may be one of several sections
            yield f"## `{path}`" if path else "## The keys at the top"
        self._begun.add(path)
        properties: Node = section["properties"]
        rows = (
            (f"`{key}`", ELSEWHERE.get(key) or self.kind(node), _default(node), _about(node))
            for key, node in properties.items()
        )
        yield table(("key", "value", "default", "meaning"), rows)
        for key, node in properties.items():
            for inner in () if key in ELSEWHERE else self.inner(node):
                yield from self.sections(f"{path}.{key}".removeprefix("."), inner)

    def inner(self, node: Node) -> Iterator[Node]:
        """Yield the sections that a value may be, or a list of it may have, unless a title describes the value."""
        if "title" in node:
            return
        if "properties" in node:
            yield node
        for each in self._choices(node):
            yield from self.inner(each)

    def kind(self, node: Node) -> str:
        if "enum" in node or "const" in node:
            return ", ".join(f"`{each}`" for each in node.get("enum", [node.get("const")]))
        if "properties" in node:
            return "a section"
        if "title" in node:
            return str(node["title"])
        if node.get("type") == "array" and "items" in node:
            return f"a list: {self.kind(node['items'])}"
        if choices := self._choices(node):
            return "; ".join(dict.fromkeys(self.kind(each) for each in choices if each.get("type") != "null"))
        return _simple(node)

    def _choices(self, node: Node) -> list[Node]:
        if "$ref" in node:
            named = self.definitions[node["$ref"].rpartition("/")[2]]
            return [{key: value for key, value in named.items() if key != "title"}]
        items = node.get("items", {})
        return [*node.get("anyOf", []), *node.get("prefixItems", []), *([items] if items else [])]


def _simple(node: Node) -> str:
    kind = node.get("type")
    name = {"boolean": "`true`, `false`", "integer": "a whole number", "number": "a number", "string": "a text"}
    if kind == "string" and node.get("examples"):
        return f"a text like `{node['examples'][0]}`"
    if kind == "object":
        return "keys and values"
    low = node.get("minimum", node.get("exclusiveMinimum"))
    limits = "" if low is None or "maximum" not in node else f" from {low:,} to {node['maximum']:,}"
    return name.get(str(kind), "any value") + limits


def _default(node: Node) -> str:
    value = node.get("default")
    if value is None or value in ({}, []):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`[{', '.join(map(str, value))}]`" if isinstance(value, list | tuple) else f"`{value}`"


def _about(node: Node) -> str:
    return str(node.get("description", ""))
