"""What the user has configured for Spark: spark-submit, spark-defaults.conf, Spark Connect."""

import os
import re
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError

_PROPERTY: Final = re.compile(r"([^\s=:]+)(?:\s*[=:]\s*|\s+)(.*)")


def by_spark_submit() -> bool:
    """Return whether spark-submit has started this process. Then Java is running, with the user's configuration."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def refuse_spark_connect() -> None:
    """Raise a UserError if PySpark would use Spark Connect, which runs no jobs of single functions."""
    if name := next((name for name in ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED") if os.environ.get(name)), None):
        raise UserError(f"{name} is set: mobilesim needs a Spark driver, and not Spark Connect; unset it, use --master")


def default_settings() -> dict[str, str]:
    """Return the settings in spark-defaults.conf, in the directory SPARK_CONF_DIR. spark-submit has read this file."""
    folder = os.environ.get("SPARK_CONF_DIR")
    path = Path(folder, "spark-defaults.conf") if folder else None
    if path is None or by_spark_submit() or not path.is_file():
        return {}
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({error})") from None
    found = (_PROPERTY.fullmatch(line) for line in lines if line and line[0] not in "#!")
    return {match[1]: match[2].strip() for match in found if match is not None}
