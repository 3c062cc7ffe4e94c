"""The text of an exception in one line, with the place in the author's own file."""

from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import Final

AUTHORED: Final[set[str]] = set()
"""The top-level names of the packages, modules and plug-in files that a scenario or a command line has named."""


def note_author(module: str) -> None:
    """Take the module's package for one of the user."""
    AUTHORED.add(module.partition(".")[0])


def described(error: BaseException) -> str:
    """Return the type, the message and the place, such as `KeyError: 3 (mine.py:31, in deliver)`.

    The place is the innermost frame in a file of the user or, if there is none, the innermost frame.
    """
    message = " ".join(str(error).split())
    kind = type(error).__name__
    return f"{kind}: {message}{_place(error)}" if message else f"{kind}{_place(error)}"


def _place(error: BaseException) -> str:
    frames = list(walk_tb(error.__traceback__))
    if not frames:
        return ""
    own = [index for index, (frame, _) in enumerate(frames) if _is_authored(frame)]
    innermost = own[-1] if own else len(frames) - 1
    frame, line = frames[innermost]
    # A comprehension has a frame of its own only if it is interpreted.
    names = [each.f_code.co_name for each, _ in frames[: innermost + 1] if _module(each) == _module(frame)]
    function = next((name for name in reversed(names) if not name.startswith("<")), "")
    return f" ({Path(frame.f_code.co_filename).name}:{line}{function and f', in {function}'})"


def _is_authored(frame: FrameType) -> bool:
    return _module(frame).partition(".")[0] in AUTHORED


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__"))
