"""A small set of four idx files, and a loopback server that plays good and bad mirrors."""

import contextlib
import gzip
import hashlib
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

from bandits.mnist import FILES
from bandits.mnist.original import IdxFile


def idx(array: np.ndarray) -> bytes:
    """Write uint8 as idx, straight from the format's description."""
    head = bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}i", *array.shape)
    return head + array.tobytes()


def table(contents: Mapping[str, bytes]) -> tuple[IdxFile, ...]:
    """State size and both MD5s of the given contents, true by construction."""
    return tuple(
        IdxFile(
            name,
            len(content),
            hashlib.md5(content).hexdigest(),
            hashlib.md5(gzip.compress(content, mtime=0)).hexdigest(),
        )
        for name, content in contents.items()
    )


@dataclass(frozen=True)
class StandIn:
    """Digits made up from a seed, as arrays and as the files they would be published in."""

    images: np.ndarray
    labels: np.ndarray
    contents: dict[str, bytes]
    files: tuple[IdxFile, ...]

    def write(self, folder: Path, end: str = "") -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in self.contents.items():
            (folder / (name + end)).write_bytes(gzip.compress(content) if end else content)
        return folder


def stand_in(train: int = 20, test: int = 10, labels: int | None = None) -> StandIn:
    rng = np.random.default_rng(7)
    arrays = [
        rng.integers(0, 256, (train, 28, 28), np.uint8),
        rng.integers(0, 10, train if labels is None else labels, np.uint8),
        rng.integers(0, 256, (test, 28, 28), np.uint8),
        rng.integers(0, 10, test, np.uint8),
    ]
    arrays[0][0, 0, :2] = 255, 128  # what int8 would make negative
    contents = {file.name: idx(array) for file, array in zip(FILES, arrays, strict=True)}
    return StandIn(arrays[0], arrays[1], contents, table(contents))


@dataclass
class Mirrors:
    """The running server: `mirrors("html", "good")` are addresses that behave as named."""

    port: int
    asked: list[str] = field(default_factory=list)

    def __call__(self, *behaviours: str) -> tuple[str, ...]:
        return tuple(f"http://127.0.0.1:{self.port}/{name}/" for name in behaviours)


@contextlib.contextmanager
def serving(contents: Mapping[str, bytes]) -> Iterator[Mirrors]:
    archives = {f"{name}.gz": gzip.compress(body, mtime=0) for name, body in contents.items()}
    over = threading.Event()
    both = threading.Barrier(2)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            pass

        def send(self, body: bytes, length: int | None = None, status: int = 200) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body) if length is None else length))
            self.send_header("Content-Disposition", "attachment; filename=../../../outside.gz")
            self.end_headers()
            self.wfile.write(body)

        def reset(self) -> None:
            self.wfile.flush()
            linger = struct.pack("ii", 1, 0)  # close with RST instead of FIN
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()

        def do_GET(self) -> None:
            with contextlib.suppress(OSError, ValueError):  # the other side may be gone
                self.behave()

        def behave(self) -> None:
            behaviour, name = self.path.strip("/").split("/")
            mirrors.asked.append(f"{behaviour}/{name}")
            body = archives[name]
            match behaviour:
                case "good":
                    self.send(body)
                case "together":  # answers once two processes have asked
                    if name.startswith("train-images"):
                        both.wait(timeout=600)
                    self.send(body)
                case "forbidden":
                    self.send(b"Forbidden", status=403)
                case "html":
                    self.send(b"<!doctype html><title>Please sign in</title>")
                case "empty":
                    self.send(b"")
                case "reset":
                    self.send(body[:10], length=len(body))
                    self.reset()
                case "reset_at_once":
                    self.reset()
                case "garbage":
                    self.wfile.write(b"\x00\x01 no HTTP at all\r\n\r\n")
                case "terminal":  # an escape sequence that would clear the reader's screen
                    self.wfile.write(b"HTTP/1.1 503 \x1b[2J Busy\r\n\r\n")
                case "truncated":  # ends in good order, too early
                    self.send(body[: len(body) // 2], length=len(body))
                case "shortened":  # claims that the half is the whole
                    self.send(body[: len(body) // 2])
                case "wrong":  # a perfect gzip file of other digits
                    self.send(gzip.compress(contents[name.removesuffix(".gz")][::-1], mtime=0))
                case "huge":
                    self.send(b"\x1f\x8b" + bytes(10_000_000))
                case "images_only":
                    labels = "labels" in name
                    self.send(b"Not here" if labels else body, status=404 if labels else 200)
                case "silent":  # accepts and never answers
                    over.wait(timeout=600)
                case "slow_headers":
                    for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 6000:
                        self.wfile.write(bytes([byte]))
                        if over.wait(timeout=0.1):
                            break
                case "slow_body":
                    self.send(body[:5], length=len(body))
                    for byte in body[5:6005]:
                        self.wfile.write(bytes([byte]))
                        if over.wait(timeout=0.1):
                            break
                case _:
                    raise AssertionError(behaviour)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    mirrors = Mirrors(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield mirrors
    finally:
        over.set()
        server.shutdown()
        thread.join()
        server.server_close()
        time.sleep(0.05)  # lets clients that were kept waiting close their sockets
