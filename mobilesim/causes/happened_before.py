"""Whether a message happened before another one, by the submissions and deliveries in the tables."""

from mobilesim.causes.tables import Delivery, RunTables


def happened_before(tables: RunTables, first: Delivery, later: Delivery) -> bool:
    """Return whether the source of `later` had sent or received `first` before it sent `later`, or had received another
    message that `first` happened before.
    """
    knows = {first.source: first.submitted}
    for row in tables.delivered_between(first.submitted, later.submitted):
        message, source, submitted, host, delivered = row
        if message == first.message or knows.get(source, submitted + 1) <= submitted:
            knows.setdefault(host, delivered)
    return knows.get(later.source, later.submitted + 1) <= later.submitted
