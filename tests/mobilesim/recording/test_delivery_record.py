"""The row of a delivery record."""

from mobilesim.recording.delivery_record import FIELDS, DeliveryRecord


def test_a_row_has_all_fields_in_their_order() -> None:
    record = DeliveryRecord(0, 0, 0, 0, 0)
    for number, name in enumerate(FIELDS):
        setattr(record, name, number)
    assert record.row() == list(range(len(FIELDS)))
