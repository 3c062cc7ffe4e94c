"""Names of nodes for formats that do not allow every character."""

from re import Pattern


class UniqueNames:
    """Maps each node to a unique name in which characters that are not allowed become `_`."""

    def __init__(self, forbidden: Pattern[str]) -> None:
        self._forbidden = forbidden
        self._given: dict[str, str] = {}
        self._taken: set[str] = set()

    def __call__(self, node: str) -> str:
        given = self._given.get(node)
        if given is None:
            given = self._given[node] = self._free(self._forbidden.sub("_", node))
            self._taken.add(given)
        return given

    def _free(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        return name
