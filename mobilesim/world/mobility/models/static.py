"""Static: hosts stay in their first cells."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mobilesim.world.mobility.actions import Action

if TYPE_CHECKING:
    from mobilesim.world.replication import World


def actions(_world: "World") -> list[Iterator[Action]]:
    return []
