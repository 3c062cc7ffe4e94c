"""The three hops of `benchmarks.hops`, built of ns.py's components as its own examples build them, in the fewest that
do it.

An up-link is a port and a wire behind it. A station is a port and a wire into the backbone, at whose end a
demultiplexer finds the down-link of the packet's `flow_id`, its destination: again a port, a wire, and a sink. (A port
for each pair of stations, as in the other programs, takes ns.py longer.) Times are seconds, as floats. The clock runs
once every component waits for its first packet.
"""

from collections.abc import Generator
from typing import Any, Final

import simpy
from ns.demux.fib_demux import FIBDemux
from ns.packet.packet import Packet
from ns.packet.sink import PacketSink
from ns.port.port import Port
from ns.port.wire import Wire

from benchmarks.hops import AIR, HOSTS, SIZE, STATIONS, WIRE, Talk

_SECOND: Final = 1_000_000_000


class Components:
    def __init__(self, messages: int) -> None:
        self.environment: Any = simpy.Environment()
        self.talk = Talk(messages)
        self.sinks = [PacketSink(self.environment, rec_arrivals=False, rec_waits=False) for _ in range(HOSTS)]
        downs = dict(enumerate(self._link(AIR, sink) for sink in self.sinks))
        backbone = FIBDemux(fib={}, outs=[], ends=downs)
        stations = [self._link(WIRE, backbone) for _ in range(STATIONS)]
        self.ups = [self._link(AIR, stations[host % STATIONS]) for host in range(HOSTS)]
        self.environment.run()
        for host in range(HOSTS):
            self.environment.process(self._talks(host))

    def run(self) -> int:
        self.environment.run()
        return sum(sink.packets_received[host] for host, sink in enumerate(self.sinks))

    def _link(self, link: tuple[int, int], out: object) -> Any:  # noqa: ANN401 - ns.py has no types
        length, latency = link
        port = Port(self.environment, SIZE * 8 * _SECOND / length)
        port.out = Wire(self.environment, lambda: latency / _SECOND)
        port.out.out = out
        return port

    def _talks(self, host: int) -> Generator[simpy.Event, Any, None]:
        environment, talk, up = self.environment, self.talk, self.ups[host]
        while True:
            yield environment.timeout(talk.pause() / _SECOND)
            if talk.left <= 0:
                return
            target = talk.target()
            up.put(Packet(environment.now, SIZE, talk.left, src=host, dst=target, flow_id=target))
