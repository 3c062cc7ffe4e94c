"""An object store in memory, on the loopback interface. It has the part of S3 that Arrow's client uses."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase, BytesIO
from threading import Thread
from time import sleep
from typing import Any, ClassVar, Final
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import uuid4
from xml.sax.saxutils import escape

BUCKET: Final = "bucket"

_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>'


@dataclass
class Objects:
    """Objects by key; incomplete uploads are not included."""

    kept: dict[str, bytes] = field(default_factory=dict)
    parts: dict[tuple[str, int], bytes] = field(default_factory=dict)
    address: str = ""
    latency: float = 0.0
    """The time in seconds before each answer."""
    page: int = 1000
    """The most objects in one answer to a request for a list."""
    requests: Counter[str] = field(default_factory=Counter)
    """The number of requests by method."""

    def uri(self, prefix: str) -> str:
        return f"s3://user:secret@{BUCKET}/{prefix}?endpoint_override={self.address}&scheme=http&region=us-east-1"


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    objects: ClassVar[Objects]

    def parse_request(self) -> bool:
        found = super().parse_request()
        if found:
            self.objects.requests[self.command] += 1
            sleep(self.objects.latency)
        return found

    def do_HEAD(self) -> None:
        if self.key == "":
            self.answer(200 if self.bucket == BUCKET else 404)
        elif self.key in self.objects.kept:
            self.answer(200, self.objects.kept[self.key], mark=True)
        else:
            self.answer(404)

    def do_GET(self) -> None:
        if self.bucket != BUCKET:
            self.answer(404, b"<Error><Code>NoSuchBucket</Code></Error>")
        elif "list-type" in self.query:
            self.answer(200, self.listing().encode())
        elif self.key not in self.objects.kept:
            self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        else:
            self.send_range(self.objects.kept[self.key])

    def do_PUT(self) -> None:
        content = self.content()
        if "uploadId" in self.query:
            self.objects.parts[self.query["uploadId"], int(self.query["partNumber"])] = content
        elif self.key:
            self.objects.kept[self.key] = content
        self.answer(200, mark=True)

    def do_POST(self) -> None:
        content = self.content().decode()
        if "uploads" in self.query:
            self.answer(200, f"{_HEAD}<R><UploadId>{uuid4().hex}</UploadId></R>".encode())
        elif "uploadId" in self.query:
            numbers = sorted(int(number) for number in re.findall(r"<PartNumber>(\d+)</PartNumber>", content))
            found = [self.objects.parts.pop((self.query["uploadId"], number)) for number in numbers]
            self.objects.kept[self.key] = b"".join(found)
            whole = "<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>"
            self.answer(200, f"{_HEAD}{whole}".encode())
        else:
            for key in re.findall(r"<Key>(.*?)</Key>", content):
                self.objects.kept.pop(key, None)
            self.answer(200, f"{_HEAD}<DeleteResult></DeleteResult>".encode())

    def do_DELETE(self) -> None:
        self.objects.kept.pop(self.key, None)
        self.answer(204)

    @property
    def bucket(self) -> str:
        return unquote(urlsplit(self.path).path).lstrip("/").partition("/")[0]

    @property
    def key(self) -> str:
        return unquote(urlsplit(self.path).path).lstrip("/").partition("/")[2]

    @property
    def query(self) -> dict[str, str]:
        return {key: values[0] for key, values in parse_qs(urlsplit(self.path).query, keep_blank_values=True).items()}

    def content(self) -> bytes:
        """Return the content of a request. The body of a chunked request consists of signed chunks."""
        if self.headers["Transfer-Encoding"] != "chunked":
            return self.rfile.read(int(self.headers["Content-Length"] or 0))
        body = b"".join(_chunks(self.rfile))
        return b"".join(_chunks(BytesIO(body))) if self.headers["Content-Encoding"] == "aws-chunked" else body

    def listing(self) -> str:
        prefix, between = self.query.get("prefix", ""), self.query.get("delimiter", "")
        after = self.query.get("continuation-token", "")
        files, folders, last = list[str](), set[str](), ""
        for key in sorted(key for key in list(self.objects.kept) if key.startswith(prefix)):
            name, slash, _ = key[len(prefix) :].partition(between) if between else (key, "", "")
            listed = prefix + name + slash if slash else key
            if listed <= after or listed in folders:
                continue
            if len(files) + len(folders) == self.objects.page:
                break
            last = listed
            if slash:
                folders.add(listed)
            else:
                files.append(key)
        else:
            last = ""
        rows = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{len(self.objects.kept[key])}</Size>"
            "<LastModified>2026-01-01T00:00:00Z</LastModified></Contents>"
            for key in files
        )
        rows += "".join(f"<CommonPrefixes><Prefix>{escape(key)}</Prefix></CommonPrefixes>" for key in sorted(folders))
        found = f"<KeyCount>{len(files) + len(folders)}</KeyCount><IsTruncated>{str(bool(last)).lower()}</IsTruncated>"
        found += f"<NextContinuationToken>{escape(last)}</NextContinuationToken>" if last else ""
        return f"{_HEAD}<ListBucketResult>{found}{rows}</ListBucketResult>"

    def send_range(self, content: bytes) -> None:
        expected = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers["Range"] or "")
        if expected is None:
            self.answer(200, content, mark=True)
            return
        first, last = int(expected[1]), min(int(expected[2] or len(content)), len(content) - 1)
        output = {"Content-Range": f"bytes {first}-{last}/{len(content)}"}
        self.answer(206, content[first : last + 1], output, mark=True)

    def answer(
        self, status: int, content: bytes = b"", headers: dict[str, str] | None = None, *, mark: bool = False
    ) -> None:
        self.send_response(status)
        output = dict(headers or {}) | {"Content-Length": str(len(content))}
        if mark:
            output |= {"ETag": f'"{md5(content).hexdigest()}"', "Last-Modified": formatdate(0, usegmt=True)}
        for name, value in output.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: Any) -> None: ...  # noqa: ANN401


def _chunks(stream: BufferedIOBase) -> Iterator[bytes]:
    """Yield chunks. The length of a chunk precedes it, and trailers may follow the last chunk."""
    while size := int(stream.readline().partition(b";")[0], 16):
        yield stream.read(size)
        stream.readline()
    while stream.readline().strip():
        pass


@contextmanager
def store() -> Iterator[Objects]:
    objects = Objects()
    answers = type("Answers", (_Answers,), {"objects": objects})
    with ThreadingHTTPServer(("127.0.0.1", 0), answers) as server:
        server.daemon_threads = True
        objects.address = f"127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield objects
        finally:
            server.shutdown()
            thread.join()
