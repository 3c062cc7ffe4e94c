"""Sinks take the records of messages and deliveries. The sink of a run's tables is `mobilesim.recording.table_sink`."""

from mobilesim.protocols.packets import Message
from mobilesim.recording.delivery_record import DeliveryRecord
from mobilesim.results.row_writer import RowWriter


class Sink:
    """Ignores the records."""

    def delivery(self, record: DeliveryRecord) -> None:
        """A host has delivered a message."""

    def message(self, message: Message, submitted: int, header: int, units: int) -> None:
        """A message has been delivered or dropped at all its destinations, or the run has ended. `header`, `units`: the
        size of its largest header.
        """


class RecordBuffer(Sink):
    """Keeps the fields of all deliveries, and the sizes of the headers of all messages."""

    def __init__(self) -> None:
        self.deliveries = RowWriter()
        self.headers = RowWriter()
        """For each message, the integers and the units of its largest header."""

    def delivery(self, record: DeliveryRecord) -> None:
        record.write(self.deliveries)

    def message(self, message: Message, submitted: int, header: int, units: int) -> None:
        self.headers.put(header)
        self.headers.put(units)
