"""What the order of the deliveries is worth: held against what the run claims, and against what its rows say of it."""

from collections.abc import Mapping
from typing import Any

from analysis.summary.results_reader import Run
from analysis.verify.columns import Numbers
from analysis.verify.deliveries import Deliveries
from analysis.verify.findings import CAUSAL, FIFO, Findings
from analysis.verify.messages import Messages
from analysis.verify.order import Broken, broken, crossings, histories, out_of_fifo


class Order:
    """Of one run. `awaited`: by copy, whether something has to wait for it though it was never delivered."""

    def __init__(self, findings: Findings, run: Run, row: Mapping[str, Any], sent: Messages, made: Deliveries) -> None:
        self.findings = findings
        self.run = run
        self.row = row
        self.sent = sent
        self.made = made

    def check(self, awaited: Numbers) -> None:
        crossed = crossings(self.sent, self.made, awaited)
        for check in (CAUSAL, FIFO):
            self.findings.looked(check, len(self.made))
        fifo = out_of_fifo(self.sent, crossed)
        self._fifo(fifo)
        claimed = self._claimed()
        if not len(crossed.rank):
            self._agree(Broken({}, frozenset()), {})
            return
        readings = [broken(history, crossed, claimed) for history in histories(self.sent, self.made)]
        self._agree(readings[0], readings[-1].by)
        self._kept(readings[-1].by)
        undecided = len(readings[0].by) - len(readings[-1].by)
        if undecided:
            self.findings.note(CAUSAL, f"{undecided:,} deliveries are open: their hosts sent in the same nanosecond")

    def _claimed(self) -> dict[int, int]:
        """By row, the rank of what it says it overtook; -1 of what nobody sent."""
        rows = list(self.made.overtook)
        ranks = self.sent.ranks(list(self.made.overtook.values()))
        return dict(zip(rows, ranks, strict=True))

    def _kept(self, by: Mapping[int, int]) -> None:
        """The claim of causal order, if the run makes it."""
        if self.row["claims_causal"]:
            self._tell(CAUSAL, by, "which happened before it and was sent to this host, had not come yet")
        elif by:
            self.findings.note(CAUSAL, f"'{self.run.protocol}' does not claim it; {len(by):,} deliveries broke it")

    def _fifo(self, by: Mapping[int, int]) -> None:
        """Causal order is FIFO order, too. Who claims FIFO order alone does not say so in its tables."""
        if self.row["claims_causal"]:
            self._tell(FIFO, by, "which its source sent before it to this host, had not come yet")
        elif by and self.row["fifo_violations"] and self._all_known:
            self.findings.note(FIFO, f"{len(by):,} deliveries of '{self.run.protocol}' broke it")
        if self._all_known and len(by) != self.row["fifo_violations"]:
            said = self.row["fifo_violations"]
            self.findings.fault(FIFO, f"runs: fifo_violations: {said:,} said, {len(by):,} found", 1)

    @property
    def _all_known(self) -> bool:
        """Whether the tables hold all that the judge saw."""
        return not (self.sent.network.windowed or self.row["dropped"] or self.row["duplicates"])

    def _agree(self, most: Broken, least: Mapping[int, int]) -> None:
        """Rows say which message they overtook. In a window it may be one from before; what was dropped came never."""
        for row in sorted(least.keys() - self.made.overtook.keys()):
            self.findings.fault(CAUSAL, f"{self._name(row)}: overtook message {self._number(least[row])} and hides it")
        if self.sent.network.windowed or self.row["dropped"]:
            return
        for row in sorted(self.made.overtook.keys() - most.confirmed):
            said = self.made.overtook[row]
            self.findings.fault(CAUSAL, f"{self._name(row)}: says that it overtook message {said}, and did not")

    def _tell(self, check: str, by: Mapping[int, int], why: str) -> None:
        for row, other in by.items():
            self.findings.fault(check, f"{self._name(row)}: message {self._number(other)}, {why}")

    def _number(self, rank: int) -> int:
        return int(self.sent.number[rank])

    def _name(self, row: int) -> str:
        copy = int(self.made.copy[row])
        return self.sent.ends(copy) if copy >= 0 else f"row {row} of deliveries"
