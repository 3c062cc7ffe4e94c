"""The sink that writes the tables `deliveries` and `messages`."""

from mobilesim.protocols.packets import Message
from mobilesim.recording.delivery_record import DeliveryRecord
from mobilesim.recording.sinks import Sink
from mobilesim.results.parquet_writer import StreamedTable


class TableSink(Sink):
    def __init__(self, deliveries: StreamedTable, messages: StreamedTable, integer: int) -> None:
        """`integer`: the bytes of an integer of a header."""
        self._deliveries, self._messages, self._integer = deliveries, messages, integer
        self._delivery_rows, self._full_deliveries = deliveries.rows, deliveries.full
        self._message_rows, self._destinations, self._full_messages = messages.rows, messages.items, messages.full

    def delivery(self, record: DeliveryRecord) -> None:
        record.write(self._delivery_rows)
        if len(self._delivery_rows) >= self._full_deliveries:
            self._deliveries.flush()

    def message(self, message: Message, submitted: int, header: int, units: int) -> None:
        rows, destinations = self._message_rows, self._destinations
        rows.put(message.id)
        rows.put(message.source)
        rows.put(message.group)
        rows.put(len(message.destinations))
        rows.put(message.size)
        rows.put(submitted)
        rows.put(header)
        rows.put(units)
        rows.put(header * self._integer)
        for host in message.destinations:
            destinations.put(host)
        if len(rows) >= self._full_messages:
            self._messages.flush()
