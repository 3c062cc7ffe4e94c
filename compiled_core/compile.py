"""`python -m compiled_core.compile FOLDER`: writes the compiled modules into a folder, laid out as in a wheel.

Nothing in the source tree changes. The output is that of mypyc and of the compiler, so a caller shows it only after a
failure. MOBILESIM_OPTIMIZATION is the compiler's optimization level, 3 unless it is set.
"""

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from compiled_core.lowering import lower_all
from compiled_core.modules import NATIVE, compiled_modules

ROOT: Final = Path(__file__).resolve().parents[1]
GROUP: Final = "mobilesim_core"
"""The shared library of all compiled modules has a name that mypyc forms from this name."""

_RUNTIME: Final = "mobilesim/protocols/native_value.py"
"""The module that the compiled modules need."""

# mypy reports only errors that prevent a correct translation: `make lint` checks the source itself.
_OPTIONS: Final = (
    "--config-file=",
    "--explicit-package-bases",
    "--ignore-missing-imports",
    "--follow-imports=silent",
)

_COMPILER_OPTIONS: Final = (
    # gcc needs three times as long for this warning as for the whole compilation with -O0.
    "-Wno-misleading-indentation",
    # mypyc's -Werror would end the installation wherever a compiler has a new warning.
    "-Wno-error",
    # Otherwise the functions of the library call one another as if another library might replace them.
    "-fvisibility=hidden",
    "-fno-semantic-interposition",
    "-include",
    str(Path(__file__).with_name("rare_functions.h").resolve()),
)


def compile_core(target: Path) -> None:
    """Write the compiled modules, and the module that they need, into the target folder."""
    modules = compiled_modules(ROOT)
    with TemporaryDirectory() as temporary:
        work = Path(temporary)
        copy_packages(work)
        lower_all(work, modules)
        _build(work, modules, target)
    shutil.copyfile(Path(__file__).with_name("native_value.py"), target / _RUNTIME)


def copy_packages(work: Path) -> None:
    """Copy the package into a folder, and replace the modules that have another source in the compiled core."""
    shutil.copytree(ROOT / "mobilesim", work / "mobilesim", ignore=shutil.ignore_patterns("__pycache__"))
    here = Path(__file__).parent
    shutil.copyfile(here / "native_value.py", work / _RUNTIME)
    for module, native in NATIVE.items():
        shutil.copyfile(here / native, work / module)


def _build(work: Path, modules: list[str], target: Path) -> None:
    # setuptools is imported first, because mypyc's build module checks whether it is loaded.
    from setuptools import setup  # isort: skip
    from mypyc.build import mypycify

    os.chdir(work)
    extensions = mypycify(
        [*_OPTIONS, *modules],
        opt_level=os.environ.get("MOBILESIM_OPTIMIZATION", "3"),
        debug_level="0",
        group_name=GROUP,
        target_dir=str(work / "c"),
    )
    for extension in extensions:
        extension.extra_compile_args = [*extension.extra_compile_args, *_COMPILER_OPTIONS]
    arguments = ["--quiet", "build_ext", "--build-lib", str(target), "--build-temp", str(work / "objects")]
    setup(name=GROUP, packages=[], py_modules=[], ext_modules=extensions, script_args=arguments)


if __name__ == "__main__":
    compile_core(Path(sys.argv[1]).resolve())
