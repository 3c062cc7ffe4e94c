"""`python -m tests.house.reference` writes the generated pages."""

from tests.house.reference.all_pages import GENERATED_FOLDERS, all_pages
from tests.house.tree import ROOT

if __name__ == "__main__":
    pages = all_pages()
    for folder in GENERATED_FOLDERS:
        for path in (ROOT / folder).rglob("*.md"):
            if path.relative_to(ROOT).as_posix() not in pages:
                path.unlink()
    for name, text in pages.items():
        target = ROOT / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
