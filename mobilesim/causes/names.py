"""The names of messages, hosts, stations and places in explanations, such as m3, h3 and s3."""

from mobilesim.causes.tables import Delivery, RunTables


def source_name(tables: RunTables, source: int) -> str:
    """Return the name of a source, which may be a station."""
    return f"h{source}" if source < tables.hosts else f"s{source - tables.hosts}"


def message_name(tables: RunTables, message: int) -> str:
    """Return the name of a message with its source."""
    source = tables.source(message)
    return f"m{message}" if source < 0 else f"m{message} from {source_name(tables, source)}"


def waiting_place(tables: RunTables, delivery: Delivery) -> str:
    """Return where a message waited for its release. The tables have only the last station of a destination."""
    if tables.at_hosts:
        return f"h{delivery.destination}"
    return f"s{delivery.station}" if delivery.went_directly else f"the station of h{delivery.destination}"
