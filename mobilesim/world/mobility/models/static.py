"""Static: hosts stay in their first cells."""

from collections.abc import Iterator

from mobilesim.world.mobility.actions import Action


def actions(_world: object) -> list[Iterator[Action]]:
    return []
