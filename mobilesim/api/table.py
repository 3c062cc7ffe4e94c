"""A table of results, as an Arrow table or for a library of data frames."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mobilesim.errors import UserError, counted
from mobilesim.results.checksums import DamagedTable
from mobilesim.results.location import Location, visible_entries
from mobilesim.results.run_table import Rows, footer

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl
    from pyspark.sql import DataFrame


class Table:
    """A table. A library of data frames is only imported by the method with its name.

    >>> import mobilesim as ms
    >>> runs = ms.run("quickstart", quick=True, replications=1, protocols=["av1"]).runs
    >>> len(runs), "verdict" in runs.columns
    (1, True)
    >>> runs.arrow()["deliveries"].to_pylist()
    [1998]
    """

    def __init__(
        self,
        name: str,
        read: Callable[[], pa.Table],
        files: Callable[[], Sequence[Location]] | None = None,
        owner: object = None,
    ) -> None:
        """`files`: the Parquet files of the table, in the order of its rows; None for a table in memory. `owner`: an
        object that removes the files when it is no longer used.
        """
        self.name = name
        self._read = read
        self._files = files
        self._owner = owner

    @classmethod
    def of_files(
        cls,
        folder: Location,
        check: Callable[[], None],
        owner: object = None,
        check_rows: Callable[[pa.Table], None] = lambda _: None,
    ) -> "Table":
        """Return the table of the Parquet files of a folder. `check` raises if they are not those of the
        results any more, and `check_rows` if rows are missing.
        """

        def files() -> list[Location]:
            check()
            return [path for path in visible_entries(folder) if path.suffix == ".parquet"]

        def read() -> pa.Table:
            found = pa.concat_tables(_read(path) for path in files()).unify_dictionaries()
            check_rows(found)
            return found

        return cls(folder.name, read, files, owner)

    @classmethod
    def of_arrow(cls, name: str, content: pa.Table) -> "Table":
        return cls(name, lambda: content)

    @cached_property
    def _arrow(self) -> pa.Table:
        return self._read()

    def arrow(self) -> pa.Table:
        """Return the table as a `pyarrow.Table`."""
        return self._arrow

    def pandas(self) -> "pd.DataFrame":
        """Return the table as a pandas DataFrame. Names are texts, not categories."""
        _imported("pandas")
        table = self._arrow
        for index, field in enumerate(table.schema):
            if pa.types.is_dictionary(field.type):
                table = table.set_column(index, field.name, table.column(index).cast(pa.string()))
        return table.to_pandas()

    def polars(self) -> "pl.DataFrame":
        """Return the table as a Polars DataFrame."""
        frame: pl.DataFrame = _imported("polars").from_arrow(self._arrow)
        return frame

    def duckdb(self) -> "duckdb.DuckDBPyRelation":
        """Return the table as a DuckDB relation. Results in a directory that stays are read when the relation is."""
        library = _imported("duckdb")
        relation: duckdb.DuckDBPyRelation
        if self._files is None or self._owner is not None:
            relation = library.from_arrow(self._arrow)
        else:
            files = self._files()
            with _damage_as_user_error():  # DuckDB verifies no checksums
                for path in files:
                    Rows(path).check()
            relation = library.read_parquet([str(path) for path in files])
        return relation

    def spark(self) -> "DataFrame":
        """Return the table as a Spark DataFrame of the running Spark session. Without one, a local session starts, and
        ends with the program.
        """
        from mobilesim.api.spark_sessions import lasting_session

        spark = lasting_session()
        if self._files is None or self._owner is not None:
            return spark.createDataFrame(self._arrow)
        files = self._files()
        with _damage_as_user_error():
            for path in files:
                footer(path)
        # Spark verifies the checksums of pages, and only if it is told to.
        return spark.read.option("parquet.page.verify-checksum.enabled", "true").parquet(*map(str, files))

    @property
    def columns(self) -> list[str]:
        return list(self._arrow.column_names)

    def __len__(self) -> int:
        return int(self._arrow.num_rows)

    def __repr__(self) -> str:
        return f"<table {self.name}: {counted(len(self), 'row')}, {counted(len(self.columns), 'column')}>"

    def _repr_html_(self) -> str:
        """Return the first rows for a notebook."""
        from mobilesim.api.notebook import html_table

        rows = self._arrow.slice(0, _SHOWN).to_pylist()
        return html_table(self.columns, [[*row.values()] for row in rows], len(self))


_SHOWN = 10


@contextmanager
def _damage_as_user_error() -> Iterator[None]:
    try:
        yield
    except DamagedTable as error:
        raise UserError(str(error)) from None


def _read(path: Location) -> pa.Table:
    with _damage_as_user_error():
        return Rows(path).read()


def _imported(name: str) -> Any:  # noqa: ANN401 - a library that may be missing
    try:
        return import_module(name)
    except ImportError:
        raise UserError(f"{name} is not installed; `pip install {name}` installs it") from None
