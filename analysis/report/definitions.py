"""What a newcomer has to know of the words in a report."""

from typing import Final

PARTS: Final = {
    "uplink_queue": "The message waits at its sender until the air is free.",
    "uplink_air": "It is on the air from the sender to the station of the sender's cell.",
    "source_hold": "That station does not have the sender's state yet, because a hand-off is under way, and keeps the message until it does.",
    "processing": "Stations work on the packet and its ordering header, or it waits for a station that is busy.",
    "wired": "It travels, or queues, on the wired backbone between stations.",
    "detour": "The receiver had moved on, and the message is forwarded from the station where it was to the station where it is.",
    "unreachable": "The receiver is between two cells, in a hand-off, or switched off.",
    "causal_wait": "A message that came before it, and is meant for the same host, is still missing: this wait is what order costs, and no protocol can avoid it.",
    "inhibition": "Everything that it depends on has been delivered, and still the protocol holds it back: this wait is what the protocol costs.",
    "downlink_queue": "It waits at the station until the air is free.",
    "downlink_air": "It is on the air from the station to the receiver.",
}

FIGURES: Final = {
    "breakdown": "Each bar is the mean delay from submission to delivery, cut into the eleven parts that are defined below. "
    "The whisker at its end is the 95 % interval of the whole; point at a part to see its own.",
    "distribution": "A curve shows which share of the deliveries was made within a time. Further left is quicker; a long run to "
    "the right means that a few messages take very long.",
    "handoffs": "The dot is the mean time from leaving a cell until the hand-off is over, with its 95 % interval; "
    "95 of 100 hand-offs were over by the diamond. Returns after a disconnection are not in here.",
    "traffic": "All bytes that the links carried, also those that were lost or sent again, divided by the number of deliveries. "
    "Only the payload is what users sent; framing is the fixed header of each packet.",
    "inhibition": "The dot is the mean time for which a delivery was held although nothing that it depends on was missing, "
    "with its 95 % interval. An optimal ordering shows zero.",
}
