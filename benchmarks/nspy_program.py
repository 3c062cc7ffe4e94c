"""The three hops of `benchmarks.simpy_programs` in ns.py, with as few components as possible.

An uplink is a port and a wire. A station is a port and a wire into the backbone. At the end of the backbone, a
demultiplexer selects the downlink by the packet's `flow_id`, which is its destination. A downlink is a port, a wire and
a sink. The SimPy programs have a queue for each pair of stations; in ns.py, so many queues would be slower. Times are
seconds, as floats. The constructor runs all components until they wait for their first packets, so this is not
measured.
"""

from collections.abc import Generator
from typing import Any, Final

import simpy
from ns.demux.fib_demux import FIBDemux
from ns.packet.packet import Packet
from ns.packet.sink import PacketSink
from ns.port.port import Port
from ns.port.wire import Wire

from benchmarks.simpy_programs import HOSTS, SIZE, STATIONS, WIRED, WIRELESS, Traffic

_SECOND: Final = 1_000_000_000


class NsPyNetwork:
    def __init__(self, messages: int) -> None:
        self.environment: Any = simpy.Environment()
        self.traffic = Traffic(messages)
        self.sinks = [PacketSink(self.environment, rec_arrivals=False, rec_waits=False) for _ in range(HOSTS)]
        downs = dict(enumerate(self._link(WIRELESS, sink) for sink in self.sinks))
        backbone = FIBDemux(fib={}, outs=[], ends=downs)
        stations = [self._link(WIRED, backbone) for _ in range(STATIONS)]
        self.ups = [self._link(WIRELESS, stations[host % STATIONS]) for host in range(HOSTS)]
        self.environment.run()
        for host in range(HOSTS):
            self.environment.process(self._sender(host))

    def run(self) -> int:
        self.environment.run()
        return sum(sink.packets_received[host] for host, sink in enumerate(self.sinks))

    def _link(self, link: tuple[int, int], out: object) -> Any:  # noqa: ANN401 - ns.py has no types
        length, latency = link
        port = Port(self.environment, SIZE * 8 * _SECOND / length)
        port.out = Wire(self.environment, lambda: latency / _SECOND)
        port.out.out = out
        return port

    def _sender(self, host: int) -> Generator[simpy.Event, Any, None]:
        environment, traffic, up = self.environment, self.traffic, self.ups[host]
        while True:
            yield environment.timeout(traffic.pause() / _SECOND)
            if traffic.left <= 0:
                return
            target = traffic.target()
            up.put(Packet(environment.now, SIZE, traffic.left, src=host, dst=target, flow_id=target))
