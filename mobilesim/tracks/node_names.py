"""Nodes' names where a format does not take every character."""

from re import Pattern


class Names:
    """The same name for the same node, another one for another; what does not fit becomes `_`."""

    def __init__(self, unfit: Pattern[str]) -> None:
        self._unfit = unfit
        self._given: dict[str, str] = {}
        self._taken: set[str] = set()

    def __call__(self, node: str) -> str:
        given = self._given.get(node)
        if given is None:
            given = self._given[node] = self._free(self._unfit.sub("_", node))
            self._taken.add(given)
        return given

    def _free(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        return name
