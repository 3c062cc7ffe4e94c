"""Scenarios with one mistake, each with its exact error line. Each scenario is read as `x.yaml`."""

from typing import Final, NamedTuple

import pytest

from mobilesim.errors import UserError
from mobilesim.protocols import catalogue
from mobilesim.scenario.loader import loads


class Bad(NamedTuple):
    text: str
    error: str


TOP: Final = (
    "name, seed, replications, protocols, duration, messages, quick_duration, deliveries, warm_up, measure, hosts, "
    "network, links, membership, cells, backbone, wireless, energy, mobility, workload, groups, processing, sizes, "
    "trace, oracle, clocks"
)
ROWS: Final = ", ".join(catalogue.ROWS)
PLACEMENTS: Final = ", ".join(catalogue.PLACEMENTS)
ORIGINATORS: Final = ", ".join(row.name for row in catalogue.PLACEMENTS.values() if row.originates)
FORMS: Final = "'7 ms', 'constant 7 ms', 'exponential 100 ms', 'uniform 1 s 3 s', 'pareto 1.5 1 s'"

TEXTS: Final = (
    Bad("", "x.yaml: it is empty; `mobilesim init` writes a scenario to start from"),
    Bad("# nothing yet\n", "x.yaml: it is empty; `mobilesim init` writes a scenario to start from"),
    Bad("- hosts\n- cells\n", "x.yaml:1: a scenario consists of keys like 'hosts: 20', not of a list"),
    Bad("hosts\n", "x.yaml:1: a scenario consists of keys like 'hosts: 20', not of 'hosts'"),
    Bad("hosts: 5\ncells:\n\trows: 3\n", "x.yaml:3: not valid YAML: a tab; indent with spaces"),
    Bad("hosts: 5\ncells: {rows: 3\nseed: 1\n", "x.yaml:3: not valid YAML: expected ',' or '}', but got ':'"),
    Bad("name: a: b\n", "x.yaml:1: not valid YAML: mapping values are not allowed here"),
    Bad("name: 'open\n", "x.yaml:2: not valid YAML: found unexpected end of stream"),
    Bad("hosts: *many\n", "x.yaml:1: not valid YAML: found undefined alias 'many'"),
    Bad("hosts: 5\n---\nhosts: 6\n", "x.yaml:2: not valid YAML: a second document; write one scenario per file"),
    Bad("name: a\x07b\n", "x.yaml:1: not valid YAML: the character U+0007 is not allowed"),
    Bad('name: "\\UFFFFFFFF"\n', "x.yaml: not valid YAML: an escape that names no character"),
    Bad("hosts: 5\nseed: 1\nhosts: 6\n", "x.yaml:3: hosts: this key occurs twice; the first is on line 1"),
    Bad("hosts: 5\n7: 3\n", "x.yaml:2: 7 cannot be a key; keys are words"),
    Bad("? [hosts]\n: 3\n", "x.yaml:1: a list cannot be a key; keys are words"),
    Bad(
        "name: !!python/name:os.system x\n",
        "x.yaml:1: name: the tag 'tag:yaml.org,2002:python/name:os.system' is not allowed; write plain values",
    ),
    Bad("cells: &all\n  rows: *all\n", "x.yaml:1: cells: nested too deeply, or too large, for a scenario"),
    Bad("[" * 3000, "x.yaml: nested too deeply for a scenario"),
    Bad("hosts: " + "9" * 5000 + "\n", "x.yaml:1: hosts: '" + "9" * 60 + "…' is not a value that can be read"),
    Bad("hosts: !!int many\n", "x.yaml:1: hosts: 'many' is not a value that can be read"),
    Bad("hosts: 5\ncells:\n  <<: 3\n", "x.yaml:3: cells: '<<' takes a mapping, like '<<: *anchor'"),
)

KEYS: Final = (
    Bad("hosts: 5\nsed: 3\n", f"x.yaml:2: sed: unknown key; did you mean 'seed'? (known: {TOP})"),
    Bad("zzz: 3\n", f"x.yaml:1: zzz: unknown key (known: {TOP})"),
    Bad(
        "hosts: 5\nwireless:\n  latency: 1 ms\n  bandwith: 1 Mbit/s\n",
        "x.yaml:4: wireless.bandwith: unknown key; did you mean 'bandwidth'? "
        "(known: bandwidth, uplink, downlink, latency, beacon, beacon_frames, overlap, medium, broadcast, contention, "
        "cells, loss, bursts, bit_error_rate, retry, retries, rejoin, doze)",
    ),
    Bad(
        "mobility:\n  disconnect:\n    Probability: 0.1\n",
        "x.yaml:3: mobility.disconnect.Probability: unknown key; did you mean 'probability'? "
        "(known: probability, duration, announced, policy)",
    ),
    Bad(
        "backbone:\n  links:\n    - between: [0, 1]\n    - between: [1, 2]\n      delay: 3 ms\n",
        "x.yaml:5: backbone.links[1].delay: unknown key (known: between, latency, bandwidth, jitter)",
    ),
    Bad("backbone:\n  links:\n    - latency: 3 ms\n", "x.yaml:3: backbone.links[0]: 'between' is missing"),
    Bad(
        "processing: fixed\n",
        "x.yaml:1: processing: 'fixed' is not a mapping; write keys below it (known: model, fixed, per_integer, hosts)",
    ),
    Bad(
        "energy:\n  - 3\n",
        "x.yaml:1: energy: a list is not a mapping; write keys below it (known: preset, transmit, receive, idle, doze, "
        "switch, compute, battery)",
    ),
    Bad("backbone:\n  links: {between: [0, 1]}\n", "x.yaml:2: backbone.links: a mapping is not a list"),
)

NUMBERS: Final = (
    Bad("hosts: many\n", "x.yaml:1: hosts: 'many' is not a whole number"),
    Bad("hosts: yes\n", "x.yaml:1: hosts: true is not a whole number"),
    Bad("hosts: 2.5\n", "x.yaml:1: hosts: 2.5 is not a whole number"),
    Bad("hosts: '20'\n", "x.yaml:1: hosts: '20' is not a whole number; write 20 without quotes"),
    Bad("hosts:\nseed: 1\n", "x.yaml:1: hosts: it is empty; write a whole number"),
    Bad("hosts: 0\n", "x.yaml:1: hosts: 0 is too little; write 1 or more"),
    Bad("hosts: 1e9\n", "x.yaml:1: hosts: 1000000000 is too much; write 1000000 or less"),
    Bad("hosts: .inf\n", "x.yaml:1: hosts: inf is not a whole number"),
    Bad("hosts: 2001-02-03\n", "x.yaml:1: hosts: '2001-02-03' is not a whole number"),
    Bad("replications: 0\n", "x.yaml:1: replications: 0 is too little; write 1 or more"),
    Bad("messages: -5\n", "x.yaml:1: messages: -5 is too little; write 1 or more"),
    Bad("seed: -1\n", "x.yaml:1: seed: -1 is too little; write 0 or more"),
    Bad(f"seed: {10**40}\n", "x.yaml:1: seed: a huge number is too much; write 9223372036854775807 or less"),
    Bad("trace: 1\n", "x.yaml:1: trace: 1 is not true or false"),
    Bad("oracle: 'true'\n", "x.yaml:1: oracle: 'true' is not true or false; write true without quotes"),
    Bad("name: 2024\n", "x.yaml:1: name: 2024 is not a text (a text that looks like another value needs quotes)"),
    Bad("name: ''\n", "x.yaml:1: name: '' is not a text of at least one character"),
    Bad(
        "mobility: {disconnect: {probability: .nan}}\n",
        "x.yaml:1: mobility.disconnect.probability: nan is not a finite number",
    ),
    Bad(
        "mobility: {disconnect: {probability: 1.5}}\n",
        "x.yaml:1: mobility.disconnect.probability: 1.5 is too much; write 1 or less",
    ),
    Bad(
        "mobility:\n  next: neighbor\n",
        "x.yaml:2: mobility.next: 'neighbor' is not one of neighbour, uniform; did you mean 'neighbour'?",
    ),
    Bad(
        "mobility: {model: 3}\n",
        "x.yaml:1: mobility.model: 3 is not one of cell-jump, static, trips, waypoint, gauss-markov, levy, manhattan, "
        "group, commuter, hotspot, stampede, track",
    ),
)

UNITS: Final = (
    Bad(
        "hosts: 3\nbackbone:\n  latency: 7 parsecs\n",
        "x.yaml:3: backbone.latency: '7 parsecs' is not a time; write a number and a unit, like '7 ms'",
    ),
    Bad("backbone: {latency: 7}\n", "x.yaml:1: backbone.latency: 7 has no unit; write '7 s' or '7 ms'"),
    Bad("backbone: {latency: .inf}\n", "x.yaml:1: backbone.latency: inf has no unit; write '7 s' or '7 ms'"),
    Bad(
        "backbone: {latency: 1e29}\n",
        "x.yaml:1: backbone.latency: 100000000000000000000000000000 has no unit; write '7 s' or '7 ms'",
    ),
    Bad("backbone: {latency: '7'}\n", "x.yaml:1: backbone.latency: '7' has no unit; write '7 s' or '7 ms'"),
    Bad(
        "wireless: {latency: 7 MB}\n",
        "x.yaml:1: wireless.latency: '7 MB' is not a time; write a number and a unit, like '7 ms'",
    ),
    Bad(
        "wireless: {latency: 2**99 s}\n",
        "x.yaml:1: wireless.latency: '2**99 s' is not a time; write a number and a unit, like '7 ms'",
    ),
    Bad("duration: 12:30\n", "x.yaml:1: duration: '12:30' is not a time; write a number and a unit, like '7 ms'"),
    Bad("duration: true\n", "x.yaml:1: duration: true is not a time; write a number and a unit, like '7 ms'"),
    Bad("duration: -3 s\n", "x.yaml:1: duration: '-3 s' is negative; write a time of 0 ms or more"),
    Bad("duration: 0 s\n", "x.yaml:1: duration: '0 s' is too little; write more than 0"),
    Bad("duration: 1e40 h\n", "x.yaml:1: duration: '1e40 h' is too much; the maximum is 100 years"),
    Bad("wireless: {beacon: 0.5 ns}\n", "x.yaml:1: wireless.beacon: '0.5 ns' is not a whole number of ns"),
    Bad("wireless: {uplink: 0 bit/s}\n", "x.yaml:1: wireless.uplink: '0 bit/s' is too little; write more than 0"),
    Bad(
        "wireless: {bandwidth: 1000}\n",
        "x.yaml:1: wireless.bandwidth: 1000 has no unit; write '1000 bit/s', '1000 kbit/s' or '1000 Mbit/s'",
    ),
    Bad(
        "wireless: {bandwidth: 1 mbit/s}\n",
        "x.yaml:1: wireless.bandwidth: '1 mbit/s' is not a bandwidth; did you mean '1 Mbit/s'?",
    ),
    Bad("workload: {payload: 100}\n", "x.yaml:1: workload.payload: 100 has no unit; write '100 B' or '100 kB'"),
    Bad("sizes: {integer: 3 bit}\n", "x.yaml:1: sizes.integer: '3 bit' is not a whole number of B"),
    Bad("sizes: {header: 5 GB}\n", "x.yaml:1: sizes.header: '5 GB' is too much; the maximum is 1000 MB"),
    Bad("energy: {idle: 1}\n", "x.yaml:1: energy.idle: 1 has no unit; write '1 W' or '1 mW'"),
    Bad(
        "energy: {idle: lots}\n",
        "x.yaml:1: energy.idle: 'lots' is not a power; write a number and a unit, like '7 W'",
    ),
)

DISTRIBUTIONS: Final = (
    Bad("mobility: {dwell: 5}\n", "x.yaml:1: mobility.dwell: 5 has no unit; write '5 s' or '5 ms'"),
    Bad(
        "mobility: {dwell: exponental 5 s}\n",
        f"x.yaml:1: mobility.dwell: there is no distribution 'exponental'; did you mean 'exponential'? (write {FORMS})",
    ),
    Bad(
        "mobility: {dwell: [1 s]}\n",
        f"x.yaml:1: mobility.dwell: a list is not a time or a distribution (write {FORMS})",
    ),
    Bad(
        "mobility: {dwell: exponential}\n",
        "x.yaml:1: mobility.dwell: 'exponential' is not a distribution; write it like 'exponential 100 ms'",
    ),
    Bad(
        "mobility: {dwell: uniform 1 3 s}\n",
        "x.yaml:1: mobility.dwell: 'uniform 1 3 s' is not a distribution; write it like 'uniform 1 s 3 s'",
    ),
    Bad(
        "mobility: {dwell: uniform 3 s 1 s}\n",
        "x.yaml:1: mobility.dwell: the first time of a uniform distribution must not exceed the second",
    ),
    Bad(
        "mobility: {gap: exponential 0 s}\n",
        "x.yaml:1: mobility.gap: the mean of an exponential distribution must be more than 0",
    ),
    Bad(
        "mobility: {gap: pareto 0 1 s}\n",
        "x.yaml:1: mobility.gap: the shape of a Pareto distribution must be more than 0",
    ),
    Bad(
        "mobility: {gap: exponential 7 parsecs}\n",
        "x.yaml:1: mobility.gap: '7 parsecs' is not a time; write a number and a unit, like '7 ms'",
    ),
)

PROTOCOLS: Final = (
    Bad("protocols: []\n", "x.yaml:1: protocols: the list is empty; write at least one protocol, like [av1]"),
    Bad("protocols:\n", "x.yaml:1: protocols: it is empty; write at least one protocol, like [av1]"),
    Bad(
        "protocols: [av1, unorderd]\n",
        f"x.yaml:1: protocols[1]: there is no protocol 'unorderd'; did you mean 'unordered'? (known: {ROWS})",
    ),
    Bad("protocols:\n  - av1\n  - rst\n  - av1\n", "x.yaml:4: protocols[2]: 'av1' occurs twice"),
    Bad("protocols: [av1, {name: av1, location: home}]\n", "x.yaml:1: protocols[1]: 'av1' occurs twice"),
    Bad(
        "protocols:\n  - name: av1\n    location: lasy\n",
        "x.yaml:3: protocols[0].location: 'lasy' is not one of home, paging, lazy, free; did you mean 'lazy'?",
    ),
    Bad(
        "protocols:\n  - name: av1\n    locaton: lazy\n",
        "x.yaml:3: protocols[0].locaton: av1 has no such option; did you mean 'location'? (known: area, location)",
    ),
    Bad(
        "protocols:\n  - name: av1\n    area: 3\n",
        "x.yaml:3: protocols[0].area: this option has an effect with 'location: paging' only; write that too, or leave "
        "it out",
    ),
    Bad(
        "protocols: [{placement: proxy}]\n",
        "x.yaml:1: protocols[0]: a protocol needs a name, or a placement and an ordering; 'ordering' is missing",
    ),
    Bad(
        "protocols: [{placement: proxy, ordering: [rst]}]\n",
        "x.yaml:1: protocols[0].ordering: a list is not a name of the catalogue",
    ),
    Bad(
        "protocols: [{placement: nowhere, ordering: rst}]\n",
        f"x.yaml:1: protocols[0]: there is no placement 'nowhere'; there are {PLACEMENTS}",
    ),
    Bad(
        "protocols: [ks+proxy]\n",
        f"x.yaml:1: protocols[0]: there is no placement 'ks'; there are {PLACEMENTS}; "
        "the placement comes first: 'proxy+ks'",
    ),
    Bad(
        "protocols: [bss]\n",
        "x.yaml:1: protocols[0]: 'bss' is an ordering; write it with a placement: resident+bss, proxy+bss",
    ),
    Bad(
        "protocols: [flod+rst]\n",
        f"x.yaml:1: protocols[0]: there is no placement 'flod'; there are {PLACEMENTS}; did you mean 'flood'?",
    ),
    Bad(
        "protocols: [ab+rst]\n",
        f"x.yaml:1: protocols[0]: there is no placement 'ab'; there are {PLACEMENTS}; 'ab' is flood+unordered",
    ),
    Bad(
        "protocols: [[av1]]\n",
        "x.yaml:1: protocols[0]: a list is not a protocol; write a name like 'av1', or a mapping with name and options",
    ),
)

TOGETHER: Final = (
    Bad("hosts: 1\n", "x.yaml:1: hosts: a single host has no destinations; write 2 or more"),
    Bad(
        "cells: 0\n",
        "x.yaml:1: cells: 0 is not a number of cells; write 1 to 10000, or keys below it (known: "
        "shape, rows, columns, spacing, radius, edges, file, margin)",
    ),
    Bad(
        "mobility:\n  disconnect: {probability: 0.1, policy: drop, announced: false}\n",
        "x.yaml:2: mobility.disconnect.policy: a station drops messages only if the host has announced this; write "
        "'store', or leave out 'announced: false'",
    ),
    Bad(
        "cells: 1\n",
        "x.yaml:1: cells: hosts cannot leave a single cell; write more cells, 'mobility: {model: static}' or, for "
        "hosts that disconnect and return, 'mobility: {disconnect: {probability: 1}}'",
    ),
    Bad(
        "cells: yes\n",
        "x.yaml:1: cells: true is not a number of cells; write 1 to 10000, or keys below it (known: "
        "shape, rows, columns, spacing, radius, edges, file, margin)",
    ),
    Bad("backbone: {topology: graphml}\n", "x.yaml:1: backbone.topology: topology 'graphml' needs a file"),
    Bad(
        "backbone: {topology: ring, file: .}\n",
        "x.yaml:1: backbone.file: the file '.' is a directory (relative names start at the scenario's folder)",
    ),
    Bad("backbone: {file: 3}\n", "x.yaml:1: backbone.file: 3 is not the name of a file"),
    Bad(
        "backbone: {links: [{between: [0, 9]}]}\n",
        "x.yaml:1: backbone.links[0].between: there is no station 9; stations are numbered from 0 to 8",
    ),
    Bad(
        "backbone: {links: [{between: [2, 2]}]}\n",
        "x.yaml:1: backbone.links[0].between: a link joins two different stations, not 2 with itself",
    ),
    Bad(
        "backbone: {topology: ring, links: [{between: [0, 4]}]}\n",
        "x.yaml:1: backbone.links[0].between: a ring of 9 stations has no link between 0 and 4",
    ),
    Bad(
        "backbone: {topology: star, links: [{between: [1, 2]}]}\n",
        "x.yaml:1: backbone.links[0].between: a star of 9 stations has no link between 1 and 2",
    ),
    Bad(
        "backbone: {topology: tree, links: [{between: [0, 3]}]}\n",
        "x.yaml:1: backbone.links[0].between: a tree of 9 stations has no link between 0 and 3",
    ),
    Bad(
        "backbone:\n  links:\n    - between: [0, 1]\n    - between: [1, 0]\n",
        "x.yaml:4: backbone.links[1].between: the link between stations 0 and 1 occurs twice",
    ),
    Bad(
        "mobility: {dwell: 0 s}\n",
        "x.yaml:1: mobility.dwell: with a time of 0 s in each cell, simulated time would never advance; write more "
        "than 0 s",
    ),
    Bad(
        "workload: {interval: uniform 0 s 0 s}\n",
        "x.yaml:1: workload.interval: with an interval of 0 s, simulated time would never advance; write more than 0 s",
    ),
    Bad(
        "workload: {destinations: 3}\n",
        "x.yaml:1: workload.destinations: a unicast goes to 1 host; write 1, or 'kind: multicast'",
    ),
    Bad(
        "workload: {destinations: some}\n",
        "x.yaml:1: workload.destinations: 'some' is not a number of hosts; write a whole number of 1 or more, 'all', "
        "or a range like '1..5'",
    ),
    Bad(
        "hosts: 5\nworkload:\n  kind: multicast\n  destinations: 5\n",
        "x.yaml:4: workload.destinations: 5 destinations are too many; with 5 hosts write 4 or less, or 'all'",
    ),
    Bad("hosts: 5\nworkload: {senders: 6}\n", "x.yaml:2: workload.senders: 6 senders are more than the 5 hosts"),
    Bad(
        "protocols: [av1, rst]\nmobility:\n  disconnect:\n    policy: drop\n",
        "x.yaml:4: mobility.disconnect.policy: rst orders at the host, which would wait for ever for a dropped "
        "message; write 'store', or leave that protocol out",
    ),
    Bad(
        "mobility: {disconnect: {policy: forget}}\n",
        "x.yaml:1: mobility.disconnect.policy: 'forget' is not one of store, drop",
    ),
    Bad(
        "protocols: [ab, av1]\nworkload:\n  stations: {destinations: 2}\n",
        f"x.yaml:3: workload.stations: the stations of av1 cannot send messages (supported placements: {ORIGINATORS})",
    ),
    Bad(
        "hosts: 5\nprotocols: ab\nworkload: {stations: {destinations: 6}}\n",
        "x.yaml:3: workload.stations.destinations: 6 destinations are more than the 5 hosts",
    ),
    Bad(
        "protocols: ab\nworkload: {stations: {interval: 0 s}}\n",
        "x.yaml:2: workload.stations.interval: with an interval of 0 s, simulated time would never advance; write "
        "more than 0 s",
    ),
    Bad(
        "protocols: ab\nworkload: {stations: {every: 1 s}}\n",
        "x.yaml:2: workload.stations.every: unknown key (known: interval, destinations)",
    ),
    Bad(
        "protocols: ab\nworkload: {stations: 1 s}\n",
        "x.yaml:2: workload.stations: '1 s' is not a mapping; write keys below it (known: interval, destinations)",
    ),
    # Scenarios with several mistakes: each mistake has an error line, in the order of the file.
    Bad(
        "wireless: {beacon: soon}\nhosts: 0\n",
        "x.yaml:1: wireless.beacon: 'soon' is not a time; write a number and a unit, like '7 ms'\n"
        "x.yaml:2: hosts: 0 is too little; write 1 or more",
    ),
    Bad(
        "hosts: 5\nworkload: {kind: multicast, destinations: 9}\nbackbone: {links: [{between: [0, 99]}]}\n",
        "x.yaml:2: workload.destinations: 9 destinations are too many; with 5 hosts write 4 or less, or 'all'\n"
        "x.yaml:3: backbone.links[0].between: there is no station 99; stations are numbered from 0 to 8",
    ),
    Bad("dwell: 5 s\n", f"x.yaml:1: dwell: unknown key; did you mean 'mobility.dwell'? (known: {TOP})"),
    Bad("cell: 9\n", f"x.yaml:1: cell: unknown key; did you mean 'cells'? (known: {TOP})"),
    Bad("stations: 9\n", f"x.yaml:1: stations: unknown key; did you mean 'cells'? (known: {TOP})"),
    Bad(
        "protocols: [{av3: {k: 3}}]\n",
        "x.yaml:1: protocols[0].av3: the name of a protocol is a value; write {name: av3, k: 3}",
    ),
)

TABLE: Final = TEXTS + KEYS + NUMBERS + UNITS + DISTRIBUTIONS + PROTOCOLS + TOGETHER


def error_of(text: str, **overrides: str) -> str:
    with pytest.raises(UserError) as caught:
        loads(text, "x.yaml", {key.replace("__", "."): value for key, value in overrides.items()})
    return str(caught.value)
