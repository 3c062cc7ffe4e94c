"""The rows of `disconnections`: the times at which hosts left and returned, and the messages that waited for them."""

Row = dict[str, int]


class DisconnectionLog:
    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._away: dict[int, Row] = {}
        self._last: dict[int, Row] = {}
        self._draining: dict[int, list[tuple[Row, set[int]]]] = {}

    def left(self, host: int, station: int, now: int) -> None:
        if host in self._away:
            return
        row: Row = {"host": host, "from_station": station, "left": now, "waiting": 0, "dropped": 0}
        self._last[host] = self._away[host] = row
        self.rows.append(row)

    def returned(self, host: int, station: int, now: int, waiting: set[int]) -> None:
        """`waiting`: the messages for this host that have been submitted but not delivered."""
        if (row := self._away.pop(host, None)) is None:
            return
        row.update(returned=now, to_station=station, waiting=len(waiting))
        if waiting:
            self._draining.setdefault(host, []).append((row, waiting))
        else:
            row["drained"] = now

    def delivered(self, host: int, message: int, now: int) -> None:
        """Count the message. A host may disconnect again before all messages of its first absence are delivered."""
        if (entries := self._draining.get(host)) is None:
            return
        for row, waiting in entries:
            waiting.discard(message)
            if not waiting:
                row["drained"] = now
        entries[:] = [entry for entry in entries if entry[1]]
        if not entries:
            del self._draining[host]

    def dropped(self, host: int, message: int, now: int) -> None:
        """Count the message for the last disconnection of the host. The message no longer waits."""
        row = self._last[host]
        row["dropped"] += 1
        self.delivered(host, message, now)

    def away(self, hosts: int, now: int, since: int = 0) -> list[int]:
        """Return the time for which each host was disconnected between `since` and `now`."""
        total = [0] * hosts
        for row in self.rows:
            total[row["host"]] += max(0, min(row.get("returned", now), now) - max(row["left"], since))
        return total
