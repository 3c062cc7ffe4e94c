"""The page of a tape: one HTML file with the tape and the script that shows it. It requests nothing."""

from base64 import b64encode
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError, counted, is_python_call, parameter
from mobilesim.tape.events import Tape
from mobilesim.viewing.page_data import MAX_EVENTS, encoded

_BUNDLE: Final = Path(__file__).with_name("bundle")
"""Built from `viewer/` by `make viewer`."""
_MS: Final = 1_000_000
_FITTING: Final = 0.9
"""The part of `MAX_EVENTS` that a suggested window has."""


def page(tape: Tape) -> str:
    """Return the HTML page of a tape. A tape with too many events is refused with a window that fits."""
    _refuse_long(tape)
    script = (_BUNDLE / "viewer.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    style = (_BUNDLE / "viewer.css").read_text(encoding="utf-8")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title(tape))}</title>
<style>{style}</style>
</head>
<body>
<div id="viewer"><p>The events are being read…</p></div>
<script type="text/plain" id="tape">{encoded(tape)}</script>
<script>{script}</script>
</body>
</html>
"""


def frame(tape: Tape, height: int = 900) -> str:
    """Return the page in a frame, for notebooks."""
    return (
        f'<iframe srcdoc="{escape(page(tape))}" title="{escape(title(tape))}" '
        f'style="width: 100%; height: {height}px; border: 0"></iframe>'
    )


def title(tape: Tape) -> str:
    """Return the title of a tape's page: its scenario and its protocol."""
    return f"{tape.header.run['scenario']}, {tape.header.run['protocol']}"


def _refuse_long(tape: Tape) -> None:
    if len(tape) <= MAX_EVENTS:
        return
    times = tape.columns["time"]
    begin, end = (f"{int(times[row]) // _MS}ms" for row in (0, int(MAX_EVENTS * _FITTING)))
    part = f"{parameter('since' if is_python_call() else 'from', begin)} {parameter('until', end)}"
    raise UserError(
        f"{counted(len(tape), 'event')} are too many for a page, which shows at most {MAX_EVENTS:,}; "
        f"choose a part of the run that fits, such as {part}"
    )
