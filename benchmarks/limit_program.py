"""Compile and run `limit.c`: the flow of a message of av1 in C, as a floor for the CPU time per message."""

import json
import os
import shlex
import subprocess
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Final

SOURCE: Final = Path(__file__).with_name("limit.c")


@dataclass(frozen=True, slots=True)
class LimitCounts:
    """The output of the program. `seconds` is the CPU time of its message loop."""

    messages: int
    deliveries: int
    causal_checks: int
    violations: int
    waits: int
    acknowledgements: int
    events: int
    bytes: int
    seconds: float


def compiler() -> list[str] | None:
    """Return the command of the C compiler, or None if there is none."""
    candidates = os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc"
    commands = (shlex.split(str(command)) for command in candidates if command)
    return next((command for command in commands if which(command[0])), None)


def compile_program(target: Path, definitions: Sequence[str] = ()) -> None:
    """Compile the program into a file. `definitions`: preprocessor definitions, such as HOSTS=4."""
    command = compiler()
    assert command is not None
    options = ["-O2", "-std=c11", *(f"-D{definition}" for definition in definitions)]
    subprocess.run([*command, *options, "-o", target, SOURCE, "-lm"], check=True)  # noqa: S603 - our own program


def run_program(program: Path, messages: int, records: Path) -> LimitCounts:
    """Run the compiled program, which writes a record of each delivery into the file `records`."""
    command = [str(program), str(messages), str(records)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - our own program
    return LimitCounts(**json.loads(done.stdout))


def run_limit(messages: int) -> LimitCounts:
    with TemporaryDirectory(prefix="mobilesim-benchmark-") as folder:
        program = Path(folder) / "limit"
        compile_program(program)
        return run_program(program, messages, Path(folder) / "records")
