"""Streaming XML: a reader keeps only the data that it needs in memory."""

from collections.abc import Iterator
from xml.parsers import expat

from mobilesim.tracks.number_parsing import Unreadable, quoted
from mobilesim.tracks.position import Position
from mobilesim.tracks.text_source import Source


class XmlReader:
    """A reader of XML. A subclass appends positions to `found`. These are yielded after each chunk of the file."""

    root = ""

    def __init__(self, source: Source) -> None:
        self.found: list[Position] = []
        self.depth = 0
        self._source = source
        self._expat = expat.ParserCreate(namespace_separator=" ")
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.XmlDeclHandler = self._declare
        self._expat.StartDoctypeDeclHandler = self._refuse
        self._expat.CommentHandler = self.comment

    def read(self) -> Iterator[Position]:
        try:
            for chunk in self._source.chunks():
                self._expat.Parse(chunk, False)
                yield from self.found
                self.found.clear()
            self._expat.Parse(b"", True)
            yield from self.found
        except expat.ExpatError as error:
            raise self._source.fault(error.lineno, _broken(error)) from None
        except Unreadable as fault:
            raise self._source.fault(self._expat.CurrentLineNumber, str(fault)) from None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        raise NotImplementedError

    def end(self, tag: str) -> None: ...

    def comment(self, text: str) -> None: ...

    def listen(self, *, listening: bool) -> None:
        self._expat.CharacterDataHandler = self.text if listening else None

    def text(self, text: str) -> None: ...

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        if not self.depth and name != self.root:
            raise Unreadable(f"the file begins with <{name}> and not with <{self.root}>; write its format with --from")
        self.depth += 1
        self.start(name, attributes)

    def _end(self, tag: str) -> None:
        self.depth -= 1
        self.end(tag.rpartition(" ")[2])

    def _declare(self, _version: str, encoding: str | None, _standalone: int) -> None:
        supported = {"utf-8", "us-ascii", "ascii", "iso-8859-1", "utf-16"}
        if encoding is not None and encoding.casefold() not in supported:
            raise Unreadable(f"the encoding {quoted(encoding)} is not supported; convert the file to UTF-8")

    def _refuse(self, *_: object) -> None:
        raise Unreadable("this file has a document type, which is not supported; remove the document type")


def attribute(attributes: dict[str, str], name: str, tag: str) -> str:
    text = attributes.get(name)
    if not text:
        raise Unreadable(f"this <{tag}> has no {name}")
    return text


def _broken(error: expat.ExpatError) -> str:
    reason = expat.ErrorString(error.code)
    ended = reason in {"no element found", "unclosed token", "unclosed CDATA section"}
    advice = "the file is cut off; write or copy it again" if ended else "write the file again, or correct this place"
    return f"this is not XML ({quoted(reason or 'unknown')} at column {error.offset + 1}): {advice}"
