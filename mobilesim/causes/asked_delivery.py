"""The delivery that a user asks about."""

from dataclasses import dataclass
from html import escape
from typing import Any


@dataclass(frozen=True, slots=True)
class AskedDelivery:
    """A message and one of its destinations. Its subclasses are the answers. Times are nanoseconds."""

    protocol: str
    replication: int
    message: int
    source: str
    destination: int
    submitted: int

    @property
    def title(self) -> str:
        return f"m{self.message} from {self.source} to h{self.destination}"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def document(self) -> dict[str, Any]:
        """Return a JSON object. Times are nanoseconds."""
        return {
            "protocol": self.protocol,
            "replication": self.replication,
            "message": self.message,
            "source": self.source,
            "destination": self.destination,
            "submitted": self.submitted,
        }
