"""The table of assumptions in `docs/model.md`. `python -m tests.house.model_page` writes it into the page."""

from typing import Final

from mobilesim.scenario.assumptions import ASSUMPTIONS
from tests.house.tree import ROOT
from tests.support.generated_blocks import renewed

PATH: Final = ROOT / "docs" / "model.md"


def table(_: str = "") -> str:
    rows = [f"| {each.name} | {each.default} {each.why} | {each.price} | {each.stated} |" for each in ASSUMPTIONS]
    return "\n".join(["| assumption | by default | its price | other values |", "|---|---|---|---|", *rows, ""])


if __name__ == "__main__":
    PATH.write_text(renewed(PATH.read_text(encoding="utf-8"), table), encoding="utf-8")
