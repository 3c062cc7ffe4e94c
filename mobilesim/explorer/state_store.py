"""The states of machines, of packets, of shared objects and of the oracle, by number. Equal states have one number.

A number represents a key of 128 bits (`protocols.state.key`). It is assumed that keys do not collide. Code compiled by
mypyc uses `compiled_core/native/state_store.py` instead of this file.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from mobilesim.explorer.shared_state_probe import HiddenAttributes
from mobilesim.protocols.state import key, restore, restore_shared, snapshot, snapshot_of_shared


class StateStore:
    """Numbered states; states with equal keys have the same number."""

    def __init__(self) -> None:
        self.blobs: list[bytes] = []
        self.numbers: dict[bytes, int] = {}
        self.written: dict[bytes, int] = {}
        """Numbers by digest of the snapshot. A digest is faster than a key, but differs between some equal states."""

    def put(self, state: object, shared: Sequence[object] = (), hidden: HiddenAttributes | None = None) -> int:
        return self._number(snapshot(state, shared), state, shared)

    def put_shared(self, index: int, shared: Sequence[object], hidden: HiddenAttributes | None = None) -> int:
        """Store a shared object. Its references to other shared objects are stored as indices."""
        others = [*shared[:index], object(), *shared[index + 1 :]]
        return self._number(snapshot_of_shared(shared[index], others), shared[index], others, b"shared")

    def _number(self, blob: bytes, state: object, shared: Sequence[object], role: bytes = b"") -> int:
        """Return the number of a state. For each `role`, snapshots have another format, and states other numbers."""
        digest = blake2b(blob, digest_size=16, person=role).digest()
        number = self.written.get(digest)
        if number is None:
            name = key(state, shared) + role
            number = self.written[digest] = self.numbers.setdefault(name, len(self.blobs))
            if number == len(self.blobs):
                self.blobs.append(blob)
        return number

    def load(self, number: int, shared: Sequence[object] = (), hidden: HiddenAttributes | None = None) -> Any:  # noqa: ANN401 - any stored state
        return restore(self.blobs[number], shared)

    def load_shared(self, number: int, shared: Sequence[object], hidden: HiddenAttributes | None = None) -> Any:  # noqa: ANN401 - as for `load`
        return restore_shared(self.blobs[number], shared)
