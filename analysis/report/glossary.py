"""What a newcomer has to know of the words in a report."""

from typing import Final

FIGURES: Final = {
    "breakdown": "Each bar is the mean delay from submission to delivery, cut into the parts that are defined "
    "below. The whisker at its end is the 95 % interval of the whole; point at a part to see its own.",
    "distribution": "A curve shows which share of the deliveries was made within a time. Further left is quicker; a "
    "long run to the right means that a few messages take very long.",
    "handoffs": "The dot is the mean time from leaving a cell until the hand-off is over, with its 95 % interval; "
    "95 of 100 hand-offs were over by the diamond. Returns after a disconnection are not in here. Nor are visits so "
    "short that the host had gone on before its state came: these count among the messages and bytes alone.",
    "stages": "The same time, cut where something happens: the new station hears of the host; the old one hears from "
    "the new one; the new one has what the host has not acknowledged; all stations have told the old one that they "
    "send it nothing more for the host; and the new one has been told that. Where the state moves in a single message, "
    "there are only the first two stages and the last. Messages are counted on the wire, bytes with all headers, also "
    "of hand-offs that only passed through.",
    "traffic": "All bytes that the links carried, also those that were lost or sent again, divided by the number of "
    "deliveries. The payload crosses several links, and a flood copies it to every station; hand-off is what hosts "
    "and stations say because a host moved, came back or switches off; control is what numbers and addresses take; "
    "framing is the fixed header of each packet. Times the payload: all of "
    "these bytes, over the payload of what was delivered, each delivery counted once. The whisker is the 95 % interval "
    "of the whole, which takes more than one run.",
    "energy": "What the radios of all hosts took in their whole time, divided by the number of deliveries. Sending "
    "counts for what was sent and receiving for what was got, each by its share of the bytes; beside these there is "
    "listening to nothing (idle), dozing, and waking up from it (switch). The whisker is the 95 % interval of the "
    "whole, which takes more than one run.",
    "inhibition": "The dot is the mean time for which a delivery was held although nothing that it depends on was "
    "missing, with its 95 % interval. An optimal ordering shows zero.",
}

_TRAFFIC_OF_LINKS: Final = (
    "All bytes that the links carried, divided by the number of deliveries: payload, the stamps of the ordering, what "
    "it says of its own, and the fixed header of each packet. Times the payload: all of these bytes, over the payload "
    "of what was delivered, each delivery counted once. The whisker is the 95 % interval of the whole, which takes "
    "more than one run."
)

DISCONNECTIONS: Final = (
    "A host may switch off for a while. By default what comes for it is stored, and waits for its return; a host that "
    "asks for nothing to be stored has it dropped, by whichever station holds it, and counted as dropped: neither "
    "delivered nor lost. Times off, times back, and all means are of complete runs, wherever a protocol has one; all "
    "that was dropped is of all runs. A host that is off when a run ends has not come back."
)

STORAGE: Final = (
    "Some protocols leave a copy of every message at every station until all its destinations have it, and then a mark "
    "that it is gone, in case a copy comes late. Each number is of the station that had most; the means are over runs."
)

BATTERIES: Final = (
    "A host whose battery is empty before the scenario ends leaves for good. Nobody dies after "
    "that, and a battery that is not empty then counts as if it had lasted until then. Means are over runs."
)

CLOCKS: Final = (
    "Besides what orders them, messages were stamped with clocks that only look on (Meldal, Sankar and Vera 1991). Of "
    "a message and each of some that came to the same host before it, they say which was sent first; the oracle knows "
    "what is true. FM are the vectors of Fidge and Mattern, an integer for every process. The allocations know who may "
    "send to whom, and keep what that calls for; 4 and 5 go by times of arrival too, which are no help unless messages "
    "arrive in causal order. A wrong answer has missed an order, reversed it, or invented one where there is none. "
    "Everything here is of whole runs."
)


def of_figure(key: str, *, stations: bool) -> str:
    """A network of links alone has fewer kinds of bytes."""
    return FIGURES[key] if stations or key != "traffic" else _TRAFFIC_OF_LINKS
