"""What the sections of the report on a run show, by section."""

from typing import Final

from analysis.report.terms import entries

EXPLANATIONS: Final = entries("""\
breakdown: Each bar is the mean delay from submission to delivery, divided into the parts defined below. The whisker
    at its end is the 95 % interval of the total; the tooltip of a part has its own.
distribution: Each curve shows the share of deliveries made within a time. Further left is faster; a long tail to the
    right means that a few messages take very long.
handoff_times: The dot is the mean time from leaving a cell until the hand-off is complete, with its 95 % interval;
    the diamond is the 95th percentile. Reconnections are not included, nor are hand-offs of hosts that had moved on
    before their state arrived: these count only among the packets and bytes.
handoff_stages: The same time by stages, each of which ends with an event: the new station registers the host; it
    requests the state from the old station; it has what the host has not acknowledged, and may send old messages; all
    stations have flushed their messages to the old station; the new station knows that, and may send everything. A
    hand-off that transfers the state in one packet has only the first two and the last stage. Packets are counted on
    wired links, bytes include all headers, both also for hand-offs of hosts that had moved on.
traffic: All bytes on links, including lost and retransmitted ones, divided by the number of deliveries. Payload
    crosses several links, and a flood copies it to every station; hand-off is what hosts and stations send because a
    host moved, disconnected or reconnected; control is numbers and addresses; framing is the fixed header of each
    packet. The overhead factor is bytes on links / payload: all of these bytes, divided by the payload of what was
    delivered. The whisker is the 95 % interval of the total; it needs more than one run.
static_traffic: All bytes on links, divided by the number of deliveries: payload, the stamps of the
    ordering, its control messages, and the fixed header of each packet. The overhead factor is bytes on links /
    payload: all of these bytes, divided by the payload of what was delivered. The whisker is the 95 % interval of the
    total; it needs more than one run.
energy: The energy that the radios of all hosts consumed during the whole run, divided by the number of deliveries.
    Energy for sending and receiving is divided by the purpose of the bytes; the rest is idle listening (idle),
    power-save mode (doze), and waking up from it (switch). The whisker is the 95 % interval of the total; it needs
    more than one run.
inhibition: The dot is the mean time for which a delivery was held although nothing that it depends on was missing,
    with its 95 % interval. An optimal ordering shows zero.
disconnections: Hosts may disconnect for a while. By default messages for a disconnected host are stored until its
    return; the scenario may have them discarded instead by the station that holds them: they count neither as
    delivered nor as lost. Counts and means are of complete runs if a protocol has any; discarded in total is of all
    runs. A host that is still disconnected at the end of a run has no reconnection.
storage: Some protocols keep a copy of every message at every station until all destinations have it, and then a
    tombstone, in case a copy arrives late. Each number is that of the station that had most; the means are over runs.
batteries: A host with an empty battery leaves for good. Batteries that are not empty when the scenario ends count as
    if they had lasted until then (censored lifetimes). Means are over runs.
clocks: Passive clocks (Meldal, Sankar and Vera 1991) stamp the messages of this run but delay none. For a message and
    earlier ones at the same host, a clock answers which was sent first; the oracle knows the truth. FM are the vector
    clocks of Fidge and Mattern, with one integer for every process. The allocations know which processes may send to
    which others, and keep only the integers which that requires; 4 and 5 also use times of arrival, which help only
    if messages arrive in causal order. A wrong answer has missed an order, reversed it, or is a false ordering of
    concurrent messages. All numbers are of whole runs.
""")
