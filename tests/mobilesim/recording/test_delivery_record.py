"""The row of a delivery record."""

from mobilesim.recording.delivery_record import FIELDS, DeliveryRecord
from mobilesim.results.row_writer import RowWriter


def test_a_row_has_all_fields_in_their_order() -> None:
    record = DeliveryRecord(0, 0, 0, 0, 0)
    for number, name in enumerate(FIELDS):
        setattr(record, name, number)
    rows = RowWriter()
    record.write(rows)
    assert rows.take().tolist() == list(range(len(FIELDS)))
