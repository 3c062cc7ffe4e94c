"""The path of a flooded message, computed again from a log of the copies and of the places of the host's state."""

from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mobilesim.experiments import assemble
from mobilesim.protocols.machine import Milestone, Phase
from mobilesim.protocols.packets import Copy
from mobilesim.recording import recorder
from mobilesim.recording.flood_timeline import FloodTimeline
from mobilesim.recording.recorder import RunRecorder
from mobilesim.scenario.model import Scenario
from tests.support.frequent_handoffs import RESTLESS, WORKLOADS
from tests.support.simulations import FinishedRun, Row, simulate

END = 1 << 60


class Stay(NamedTuple):
    """A period in which a host's state is at a station. It begins at the end of a hand-off."""

    station: int
    visit: int
    start: int
    end: int = END


class LoggedTimeline(FloodTimeline):
    def __init__(self, *arguments: Any, **names: Any) -> None:  # noqa: ANN401 - the parameters of FloodTimeline
        super().__init__(*arguments, **names)
        self.copies: dict[int, dict[int, int]] = defaultdict(dict)

    def landed(self, copies: tuple[Copy, ...], station: int, came: int, now: int) -> None:
        self.copies[copies[0].message.id][station] = now
        super().landed(copies, station, came, now)


class Log(RunRecorder):
    logs: list["Log"]

    def __init__(self, *arguments: Any, **names: Any) -> None:  # noqa: ANN401 - the parameters of RunRecorder
        super().__init__(*arguments, **names)
        self.stays = [[Stay(home, 0, 0)] for home in self.cells]
        self.losses: list[list[int]] = [[] for _ in self.cells]
        self.logs.append(self)
        assert isinstance(self.timeline, LoggedTimeline)
        self.copies = self.timeline.copies

    def left(self, host: int, now: int, *, disconnects: bool) -> None:
        if self.reachability.lost_since(host) < 0:
            self.losses[host].append(now)
        super().left(host, now, disconnects=disconnects)

    def reached(self, milestone: Milestone, station: int, cell: int, now: int) -> None:
        stays = self.stays[milestone.host]
        if milestone.phase is Phase.COMPLETE:
            stays.append(Stay(station, milestone.visit, now))
        elif milestone.phase is Phase.REQUEST and stays[-1][:2] == (station, milestone.visit - 1):
            stays[-1] = stays[-1]._replace(end=now)
        super().reached(milestone, station, cell, now)

    def meeting(self, row: Row) -> tuple[int, int]:
        """Return when a copy and the host's state first were at the same station, and when the copy was read there."""
        copies = {**self.copies[row["message"]], row["source_station"]: row["accepted"] + row["source_hold"]}
        together = [
            (max(copies[stay.station], stay.start), stay.station, copies[stay.station])
            for stay in self.stays[row["destination"]]
            if copies.get(stay.station, END) <= stay.end
        ]
        moment, _, read = min(together)
        return moment, read


@pytest.fixture(params=("unordered", "rst"))
def logged(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[FinishedRun, Log]:
    monkeypatch.setattr(Log, "logs", [], raising=False)
    monkeypatch.setattr(assemble, "RunRecorder", Log)
    monkeypatch.setattr(recorder, "FloodTimeline", LoggedTimeline)
    hasty = {"dwell": "exponential 150 ms", "disconnect": {"probability": 0.2, "duration": "exponential 300 ms"}}
    settings = {**RESTLESS, "mobility": hasty, "workload": WORKLOADS["some"]}
    protocol = {"placement": "flood", "ordering": request.param}
    run = simulate(Scenario.model_validate({**settings, "protocols": (protocol,)}), tmp_path)
    (log,) = Log.logs
    return run, log


@pytest.mark.interpreted
@pytest.mark.full
def test_the_recorded_path_of_a_message_is_that_of_the_first_received_copy(logged: tuple[FinishedRun, Log]) -> None:
    run, log = logged
    assert run.outcome.verdict == "ok"
    waited = early = 0
    for row in run.deliveries:
        moment, read = log.meeting(row)
        detour = row["detour"]
        assert row["arrived"] - detour == read, row
        if moment == read:
            assert (row["arrived"], detour) == (read, 0)
            continue
        gone = max(loss for loss in log.losses[row["destination"]] if loss <= moment)
        assert row["arrived"] == max(read, gone)
        # After its arrival the message waits for the host's state, and the host counts as unreachable.
        assert row["unreachable"] >= moment - row["arrived"]
        assert row["released"] >= moment
        waited += 1
        early += read < gone
    assert 0 < early < waited < len(run.deliveries)
