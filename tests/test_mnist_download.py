"""Downloading, against a loopback server standing in for good, bad and absent mirrors."""

import gzip
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from mnist_stand_in import Mirrors, serving, stand_in

from bandits import mnist
from bandits.mnist import download
from bandits.mnist.original import IdxFile

SMALL = stand_in()
NAMES = sorted(SMALL.contents)
WAIT = 3.0  # seconds in which a mirror has to answer, and to send one file, where one never will
PATIENT = 300.0  # the same where all will, however busy this machine is
SLOWEST = 300.0  # seconds within which every fallback is over, and before the slow mirrors are
SLOW = ("silent", "slow_headers", "slow_body")


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("BANDITS_MNIST", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "nowhere"))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def server() -> Iterator[Mirrors]:
    with serving(SMALL.contents) as mirrors:
        yield mirrors


@pytest.fixture
def mirrors(server: Mirrors) -> Mirrors:
    server.asked.clear()
    return server


def fetch(cache: Path, addresses: tuple[str, ...]) -> mnist.Mnist:
    limit = WAIT if any(word in address for word in SLOW for address in addresses) else PATIENT
    return mnist.load(cache=cache, mirrors=addresses, files=SMALL.files, wait=limit, deadline=limit)


def everything_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def assert_filled(cache: Path) -> None:
    """The four files, byte for byte, and nothing else: no archive, no part, nothing outside."""
    assert everything_below(cache.parent) == [f"{cache.name}/MNIST/raw/{name}" for name in NAMES]
    for name, content in SMALL.contents.items():
        assert (cache / "MNIST" / "raw" / name).read_bytes() == content


def test_a_good_mirror_fills_the_cache_once(tmp_path: Path, mirrors: Mirrors) -> None:
    data = fetch(tmp_path / "cache", mirrors("good"))
    np.testing.assert_array_equal(data.images, SMALL.images)
    np.testing.assert_array_equal(data.labels, SMALL.labels)
    assert data.source == "full"
    assert_filled(tmp_path / "cache")
    assert sorted(mirrors.asked) == [f"good/{name}.gz" for name in NAMES]
    again = fetch(tmp_path / "cache", mirrors("good"))
    assert (again.digest, again.notes) == (data.digest, ())
    assert len(mirrors.asked) == 4


# What a mirror can do wrong, and what is told of it.
FAULTS = {
    "forbidden": "answered 403 Forbidden",
    "html": "sent something that is not a gzip file",
    "empty": "sent something that is not a gzip file",
    "reset": "failed|broke off after 10 of",
    "reset_at_once": "could not be reached|failed",
    "garbage": "failed",
    "truncated": "broke off after",
    "shortened": "sent a file of wrong MD5",
    "wrong": "sent a file of wrong MD5",
    "huge": "far too large",
    "silent": "did not answer within 3 s|could not be reached",
    "slow_headers": "did not answer within 3 s",
    "slow_body": "did not send the file within 3 s",
    "terminal": "answered 503 [2J Busy",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_next_mirror_is_tried(tmp_path: Path, mirrors: Mirrors, fault: str) -> None:
    begin = time.monotonic()
    data = fetch(tmp_path / "cache", mirrors(fault, "good"))
    assert time.monotonic() - begin < SLOWEST
    assert data.source == "full"
    assert_filled(tmp_path / "cache")
    # The mirror that failed is asked once, not once for each file.
    assert [name.split("/")[0] for name in mirrors.asked] == [fault, *["good"] * 4]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_mirror_alone_ends_in_the_sample_and_leaves_nothing(
    tmp_path: Path, mirrors: Mirrors, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    begin = time.monotonic()
    data = fetch(tmp_path / "cache", mirrors(fault))
    assert time.monotonic() - begin < SLOWEST
    assert data.source == "sample"
    missing, failed = data.notes
    assert missing == f"there is no MNIST in the cache folder {tmp_path / 'cache'}"
    assert failed.startswith("train-images-idx3-ubyte.gz could not be downloaded (")
    assert any(reason in failed for reason in FAULTS[fault].split("|")), failed
    assert failed.isprintable()
    assert list(tmp_path.iterdir()) == []
    assert len(caplog.records) == 1


def test_all_down(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    begin = time.monotonic()
    addresses = (f"http://127.0.0.1:{port}/one/", f"http://127.0.0.1:{port}/two")
    data = fetch(tmp_path / "cache", addresses)
    assert time.monotonic() - begin < SLOWEST
    assert data.source == "sample"
    assert all(f"{address} could not be reached" in data.notes[1] for address in addresses)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "address", ["http://mirror.invalid/", "http://", "no address", "http://127.0.0.1:99999/"]
)
def test_no_such_mirror(tmp_path: Path, address: str, mirrors: Mirrors) -> None:
    begin = time.monotonic()
    assert fetch(tmp_path / "cache", (address,)).source == "sample"
    assert fetch(tmp_path / "cache", (address, *mirrors("good"))).source == "full"
    assert time.monotonic() - begin < SLOWEST


def test_name_resolution_that_hangs_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, over = threading.Event(), threading.Event()

    def stuck(*arguments: object, **options: object) -> list[object]:
        asked.set()
        over.wait(PATIENT)
        raise socket.gaierror("no answer")

    monkeypatch.setattr(socket, "getaddrinfo", stuck)
    with pytest.raises(mnist.MnistError, match=r"did not answer within 3 s"):
        download.fetch("http://mirror.invalid/", SMALL.files[0], WAIT, WAIT)
    assert asked.is_set()
    assert not over.is_set()  # it still hangs, in a thread of its own
    over.set()


def test_a_mirror_that_lacks_some_files_is_completed_by_another(
    tmp_path: Path, mirrors: Mirrors
) -> None:
    data = fetch(tmp_path / "cache", mirrors("images_only", "good"))
    assert data.source == "full"
    assert_filled(tmp_path / "cache")


def test_a_download_that_stops_midway_goes_on_from_there(tmp_path: Path, mirrors: Mirrors) -> None:
    cache = tmp_path / "cache"
    first = fetch(cache, mirrors("images_only"))
    assert first.source == "sample"
    assert "train-labels-idx1-ubyte.gz could not be downloaded" in first.notes[1]
    assert everything_below(cache) == ["MNIST/raw/train-images-idx3-ubyte"]
    mirrors.asked.clear()
    second = fetch(cache, mirrors("good"))
    assert second.source == "full"
    assert second.notes[0].endswith("train-labels-idx1-ubyte is missing")
    assert "good/train-images-idx3-ubyte.gz" not in mirrors.asked
    assert_filled(cache)


def test_a_damaged_cache_is_mended_and_told(tmp_path: Path, mirrors: Mirrors) -> None:
    cache = tmp_path / "cache"
    raw = SMALL.write(cache / "MNIST" / "raw")
    (raw / NAMES[0]).write_bytes(b"")
    data = fetch(cache, mirrors("good"))
    assert mirrors.asked == [f"good/{NAMES[0]}.gz"]
    assert data.notes == (f"{raw / NAMES[0]} is empty",)
    assert_filled(cache)


def test_mending_only_replaces_what_is_wrong_in_a_flat_cache_of_archives(
    tmp_path: Path, mirrors: Mirrors
) -> None:
    cache = SMALL.write(tmp_path / "cache", ".gz")
    (cache / f"{NAMES[1]}.gz").write_bytes(b"\x1f\x8b")
    data = fetch(cache, mirrors("good"))
    assert data.source == "full"
    assert mirrors.asked == [f"good/{NAMES[1]}.gz"]


def test_the_unpacked_content_is_checked_too(tmp_path: Path, mirrors: Mirrors) -> None:
    """A table whose archive is right but whose content is not: neither checksum stands alone."""
    file = SMALL.files[1]._replace(md5="0" * 32)
    with pytest.raises(mnist.MnistError, match="was altered"):
        download.fetch(mirrors("good")[0], file, WAIT, WAIT)


def test_cache_below_a_regular_file_asks_no_mirror(tmp_path: Path, mirrors: Mirrors) -> None:
    (tmp_path / "file").write_text("no folder")
    data = fetch(tmp_path / "file" / "cache", mirrors("good"))
    assert data.source == "sample"
    assert "cannot be written, so nothing was downloaded" in data.notes[1]
    assert mirrors.asked == []


def test_a_folder_in_the_place_of_a_file_is_told(tmp_path: Path, mirrors: Mirrors) -> None:
    cache = tmp_path / "cache"
    raw = SMALL.write(cache / "MNIST" / "raw")
    (raw / NAMES[2]).unlink()
    (raw / NAMES[2]).mkdir()
    data = fetch(cache, mirrors("good"))
    assert data.source == "sample"
    assert "cannot be written" in data.notes[1]
    assert not list(raw.glob(".*"))


def test_parts_of_killed_processes_are_removed_once_they_are_old(
    tmp_path: Path, mirrors: Mirrors
) -> None:
    raw = tmp_path / "cache" / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for name, age in ((".old.part", 7200), (".young.part", 60)):
        (raw / name).write_bytes(b"x")
        os.utime(raw / name, (time.time() - age,) * 2)
    fetch(tmp_path / "cache", mirrors("good"))
    assert sorted(path.name for path in raw.glob(".*")) == [".young.part"]


def test_downloading_is_left_to_torchvision_s_own_list_and_checksums() -> None:
    from torchvision.datasets import MNIST

    assert download.torchvision_mirrors() == tuple(MNIST.mirrors)
    assert all(mirror.startswith("http") for mirror in MNIST.mirrors)
    assert [(f"{file.name}.gz", file.gz_md5) for file in mnist.FILES] == MNIST.resources


def test_torchvision_that_fails_to_load_ends_in_the_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torchvision.datasets", None)
    data = mnist.load(cache=tmp_path / "cache")
    assert data.source == "sample"
    assert data.notes[1].startswith("torchvision, which lists the mirrors, fails to load (")


def test_status_downloads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*arguments: object, **options: object) -> None:
        raise AssertionError("status must not ask the network")

    monkeypatch.setattr(download.urllib.request, "urlopen", forbidden)
    assert any("first tries to download" in line for line in mnist.status(cache=tmp_path / "c"))
    assert list(tmp_path.iterdir()) == []


# Other processes


def _load_and_tell(
    cache: Path, addresses: tuple[str, ...], files: tuple[IdxFile, ...], answers: object
) -> None:
    data = mnist.load(cache=cache, mirrors=addresses, files=files, wait=PATIENT, deadline=PATIENT)
    answers.put((data.source, data.digest))  # type: ignore[attr-defined]


def _with_small_disk(
    cache: Path, addresses: tuple[str, ...], files: tuple[IdxFile, ...], answers: object
) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    data = mnist.load(cache=cache, mirrors=addresses, files=files, wait=PATIENT, deadline=PATIENT)
    answers.put((data.source, data.notes[-1]))  # type: ignore[attr-defined]


def test_two_processes_fill_one_empty_folder_at_once(tmp_path: Path, mirrors: Mirrors) -> None:
    context = multiprocessing.get_context("spawn")
    cache = tmp_path / "cache"
    cache.mkdir()
    answers = context.SimpleQueue()
    arguments = (cache, mirrors("together"), SMALL.files, answers)
    processes = [context.Process(target=_load_and_tell, args=arguments) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENT)
    # The server answered the first file only once both had asked for it.
    assert mirrors.asked[:2] == ["together/train-images-idx3-ubyte.gz"] * 2
    assert [process.exitcode for process in processes] == [0, 0]
    told = {answers.get(), answers.get()}
    assert told == {("full", mnist.load(cache=cache, mirrors=(), files=SMALL.files).digest)}
    assert_filled(cache)
    answers.close()
    for process in processes:
        process.close()


@pytest.mark.skipif(os.name == "nt", reason="needs a limit on file sizes")
def test_full_disk_ends_in_the_sample_and_leaves_no_part(tmp_path: Path, mirrors: Mirrors) -> None:
    context = multiprocessing.get_context("spawn")
    answers = context.SimpleQueue()
    arguments = (tmp_path / "cache", mirrors("good"), SMALL.files, answers)
    process = context.Process(target=_with_small_disk, args=arguments)
    process.start()
    process.join(PATIENT)
    assert process.exitcode == 0
    source, note = answers.get()
    assert source == "sample"
    assert "cannot be written (File too large)" in note
    assert everything_below(tmp_path) == []
    answers.close()
    process.close()


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_killed_while_a_file_comes_in_leaves_nothing(tmp_path: Path, mirrors: Mirrors) -> None:
    context = multiprocessing.get_context("spawn")
    answers = context.SimpleQueue()
    arguments = (tmp_path / "cache", mirrors("slow_body"), SMALL.files, answers)
    process = context.Process(target=_load_and_tell, args=arguments)
    process.start()
    end = time.monotonic() + PATIENT
    while not mirrors.asked and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.3)
    assert process.is_alive()
    os.kill(process.pid or 0, signal.SIGKILL)
    process.join(PATIENT)
    assert everything_below(tmp_path) == []
    answers.close()
    process.close()
    assert fetch(tmp_path / "cache", mirrors("good")).source == "full"


def test_archives_of_the_stand_in_are_stable() -> None:
    """The fixture's own premise: the same content gives the same archive, and one that unpacks."""
    for content in SMALL.contents.values():
        archive = gzip.compress(content, mtime=0)
        assert archive == gzip.compress(content, mtime=0)
        assert gzip.decompress(archive) == content
