"""The contract of a placement: machines of stations and hosts, their packets, the hand-off, and inboxes."""

from mobilesim.extensions.declarations import CONTRACT_VERSION, declares
from mobilesim.protocols.catalogue_rows import Option, PlacementRow
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.handoff.visits import (
    DIRECT_TABLE,
    HandoffAction,
    HandoffBegin,
    HandoffEvent,
    HandoffStation,
    HandoffTable,
    Transition,
    Visit,
    VisitState,
)
from mobilesim.protocols.handoff.wireless_hop import Data, MobileHost, Receiver, Sender
from mobilesim.protocols.machine import (
    Host,
    HostOutbox,
    Milestone,
    Phase,
    ProtocolError,
    Station,
    StationOutbox,
    System,
)
from mobilesim.protocols.mailbox import Inbox, Mailbox, mailbox_for
from mobilesim.protocols.ordering import OrderingFactory, Process
from mobilesim.protocols.packets import (
    Copy,
    DataPacket,
    HandoffPacket,
    HandoffPacketKind,
    Message,
    Packet,
    Purpose,
    RoutedPacket,
    Stamp,
)
from mobilesim.protocols.placements.location import Directory, directories
from mobilesim.protocols.placements.proxy import ProxyStation, ProxyVisit

__all__ = [
    "CONTRACT_VERSION",
    "DIRECT_TABLE",
    "Copy",
    "Data",
    "DataPacket",
    "Directory",
    "HandoffAction",
    "HandoffBegin",
    "HandoffEvent",
    "HandoffPacket",
    "HandoffPacketKind",
    "HandoffStation",
    "HandoffTable",
    "Host",
    "HostOutbox",
    "Inbox",
    "Mailbox",
    "Message",
    "Milestone",
    "MobileHost",
    "Option",
    "OrderingFactory",
    "Packet",
    "Phase",
    "PlacementRow",
    "Process",
    "ProtocolError",
    "ProxyStation",
    "ProxyVisit",
    "Purpose",
    "Receiver",
    "RoutedPacket",
    "Sender",
    "Stamp",
    "Station",
    "StationOutbox",
    "System",
    "Transition",
    "Visit",
    "VisitState",
    "declares",
    "directories",
    "mailbox_for",
    "value",
]
