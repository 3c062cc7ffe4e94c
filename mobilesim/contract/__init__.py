"""What the author of a protocol or a model in another package imports. No other module of mobilesim is stable.

- `mobilesim.contract.orderings`: an ordering, its processes and stamps, and its row
- `mobilesim.contract.placements`: the machines of stations and hosts, and the row of a placement
- `mobilesim.contract.models`: mobility models and workloads, and the sections of their settings

`CONTRACT_VERSION` of each of these modules is the version of all three. A class or function may state the version for
which it was written: `@declares(row, contract=1)`. It is refused, in one line, by a mobilesim with another version.
"""
