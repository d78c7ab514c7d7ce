"""Fetch MNIST's four archives from torchvision's mirrors, with bounded waits, into a folder.

An archive is held in memory until it, and what it unpacks to, have the right MD5; only then is
the unpacked file written, under a temporary name, and moved into place. So a folder never shows
a partial or wrong file, and several processes may fill one folder at the same time.
"""

import contextlib
import http.client
import os
import queue
import secrets
import threading
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Sequence
from pathlib import Path

from bandits.mnist.idx import SLACK, decode, md5, read_file, unpack
from bandits.mnist.original import IdxFile, MnistError

CHUNK = 1 << 16  # bytes
STALE_SECONDS = 3600.0


def torchvision_mirrors() -> tuple[str, ...]:
    """Torchvision's own list of mirrors, so that no address is kept twice.

    Imports torchvision, and with it torch. Without it there is nothing to download from: it is a
    dependency of this package, and its list is the one that is kept up to date.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from torchvision.datasets import MNIST
        return tuple(MNIST.mirrors)
    except (ImportError, OSError, RuntimeError) as error:
        raise MnistError(f"torchvision, which lists the mirrors, fails to load ({error})") from None


def writable(folder: Path) -> bool:
    """Whether `folder` exists, or could be made, with files in it; creates nothing."""
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)


def fill(
    place: Path, files: Sequence[IdxFile], mirrors: Sequence[str], wait: float, deadline: float
) -> None:
    """Make `place` hold every one of `files`, whole; those that are there and right are kept.

    A mirror has `wait` seconds to answer and `deadline` seconds to send one file.

    Raises:
        MnistError: once no mirror has a file, naming each mirror and its failure.
        OSError: if `place` cannot be written.
    """
    order = list(mirrors)
    for file in files:
        try:
            read_file(place, file)
            continue
        except MnistError:
            failures = []
        for mirror in tuple(order):
            try:
                content = fetch(mirror, file, wait, deadline)
            except MnistError as error:
                failures.append(f"{mirror} {error}")
                order.append(order.pop(0))  # the next file starts with a mirror that works
            else:
                store(place / file.name, content)
                break
        else:
            raise MnistError(
                f"{file.name}.gz could not be downloaded ({'; '.join(failures) or 'no mirrors'})"
            )


def fetch(mirror: str, file: IdxFile, wait: float, deadline: float) -> bytes:
    """The verified, unpacked content of one file; MnistError says what the mirror did."""
    url = mirror.rstrip("/") + f"/{file.name}.gz"
    archive = get(url, limit=file.size + SLACK, wait=wait, deadline=deadline)
    if not archive.startswith(b"\x1f\x8b"):
        raise MnistError("sent something that is not a gzip file")
    if md5(archive) != file.gz_md5:
        raise MnistError(f"sent a file of wrong MD5 ({md5(archive)} instead of {file.gz_md5})")
    content = unpack(archive, file.size)
    decode(file, content)
    return content


def get(url: str, limit: int, wait: float, deadline: float) -> bytes:
    """Fetch `url` in a thread, because neither name resolution nor headers obey a timeout.

    Raises:
        MnistError: what the server did, in words that follow its name; also for more than about
            `limit` bytes.
    """
    box: queue.SimpleQueue[bytes | MnistError | None] = queue.SimpleQueue()
    end = time.monotonic() + deadline
    arguments = (url, limit, wait, end, box)
    threading.Thread(target=_transfer, args=arguments, daemon=True).start()
    complaint = f"did not answer within {wait:g} s"
    try:
        result = box.get(timeout=wait)
        if result is None:  # the headers have come
            complaint = f"did not send the file within {deadline:g} s"
            result = box.get(timeout=max(0.0, end - time.monotonic()))
    except queue.Empty:
        raise MnistError(complaint) from None
    if not isinstance(result, bytes):
        raise MnistError(_plain(str(result)))
    return result


def _plain(text: str) -> str:
    """Keep to one printable line what a server may have put into an error message."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:200]


def _transfer(
    url: str,
    limit: int,
    wait: float,
    end: float,
    box: queue.SimpleQueue[bytes | MnistError | None],
) -> None:
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "bandits"})
        with urllib.request.urlopen(request, timeout=wait) as response:
            box.put(None)
            content = bytearray()
            while chunk := response.read1(CHUNK):
                content += chunk
                if len(content) > limit:
                    raise MnistError("sent a file that is far too large")
                if time.monotonic() > end:
                    return  # nobody waits any more
            announced = response.headers.get("Content-Length", "")
            if announced.isdigit() and len(content) < int(announced):
                raise MnistError(f"broke off after {len(content):,} of {int(announced):,} bytes")
            box.put(bytes(content))
    except MnistError as error:
        box.put(error)
    except urllib.error.HTTPError as error:
        error.close()
        box.put(MnistError(f"answered {error.code} {error.reason}"))
    except urllib.error.URLError as error:
        box.put(MnistError(f"could not be reached ({error.reason})"))
    except (OSError, http.client.HTTPException, ValueError) as error:
        box.put(MnistError(f"failed ({error or type(error).__name__})"))


def store(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, and its folder if need be; OSError if it cannot be."""
    place = path.parent
    place.mkdir(parents=True, exist_ok=True)
    for old in place.glob(".*.part"):  # what a killed process may have left
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > STALE_SECONDS:
                old.unlink()
    part = place / f".{path.name}.{secrets.token_hex(8)}.part"
    try:
        with part.open("xb") as stream:
            stream.write(content)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
