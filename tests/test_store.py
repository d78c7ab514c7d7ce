"""A stored run is whole and the right one, or it is refused by name."""

import errno
import io
import json
import os
import socket
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bandits import mnist
from bandits.engine import cpu
from bandits.engine.files import Unreadable, set_aside, sweep
from bandits.engine.jobs import Job
from bandits.engine.npz import StoreError, read_arrays, write_arrays
from bandits.engine.packed import pack, unpack
from bandits.engine.runs import complete, missing
from bandits.engine.store import Store, versions
from bandits.experiments import LINEAR, RANDOM, SIMPLE_DEEP, Method, RunSpec
from bandits.simulate import Trajectory

SPEC = RunSpec(RANDOM, run=1, steps=40)
NAME = "low_noise"


def trajectory(steps: int, seed: int = 0) -> Trajectory:
    rng = np.random.default_rng(seed)
    means = rng.integers(0, 10, (steps, 5)).astype(float)
    actions = rng.integers(0, 5, steps)
    return Trajectory(
        actions=actions,
        rewards=rng.normal(size=steps).astype(np.float32),
        means=means[np.arange(steps), actions],
        best_means=means.max(axis=1),
        explored=rng.random(steps) < 0.3,
        propensities=1 - rng.random(steps).astype(np.float32),  # never 0
    )


def assert_same(one: Trajectory, other: Trajectory) -> None:
    ours, theirs = one.arrays(), other.arrays()
    assert ours.keys() == theirs.keys()
    for name, values in ours.items():
        assert values.dtype == theirs[name].dtype, name
        np.testing.assert_array_equal(values, theirs[name], err_msg=name)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs", "some digest")


def names(store: Store) -> list[str]:
    return sorted(path.name for path in store.folder.iterdir())


# Packing

any_float = st.floats(allow_nan=False, width=64)


@st.composite
def trajectories(draw: st.DrawFn) -> Trajectory:
    n = draw(st.integers(0, 20))
    means = st.one_of(st.integers(0, 9).map(float), st.integers(-3, 300).map(float), any_float)
    return Trajectory(
        actions=draw(arrays(np.int64, n, elements=st.integers(0, 400))),
        rewards=draw(arrays(np.float32, n, elements=st.floats(allow_nan=False, width=32))),
        means=draw(arrays(np.float64, n, elements=means)),
        best_means=draw(arrays(np.float64, n, elements=means)),
        explored=draw(arrays(np.bool_, n)),
        propensities=draw(arrays(np.float32, n, elements=st.floats(0, 1, width=32))),
    )


@settings(max_examples=50)
@given(trajectories())
def test_unpacking_gives_back_what_was_packed(run: Trajectory) -> None:
    assert_same(unpack(pack(run)), run)


def test_a_run_on_digits_takes_few_bytes() -> None:
    sizes = {name: values.dtype.itemsize for name, values in pack(trajectory(800)).items()}
    del sizes["steps"]
    assert sizes == dict(actions=1, rewards=4, means=1, best_means=1, explored=1, propensities=4)
    assert pack(trajectory(801))["explored"].shape == (101,)


@pytest.mark.parametrize("name", ["steps", "actions", "explored", "propensities"])
def test_a_run_that_lacks_an_array_is_refused(name: str) -> None:
    packed = pack(trajectory(40))
    del packed[name]
    with pytest.raises(StoreError, match=f"does not hold a run.*{name}"):
        unpack(packed)


@pytest.mark.parametrize(
    "name, values",
    [
        ("actions", np.zeros(39, np.uint8)),
        ("rewards", np.zeros((40, 1), np.float32)),
        ("explored", np.zeros(4, np.uint8)),  # four bytes are 32 steps, not 40
        ("explored", np.zeros(6, np.uint8)),
        ("explored", np.zeros(5)),
        ("means", np.array(["x"] * 40)),
        ("steps", np.arange(3)),
    ],
)
def test_a_run_with_a_wrong_array_is_refused(name: str, values: np.ndarray) -> None:
    with pytest.raises(StoreError):
        unpack(pack(trajectory(40)) | {name: values})


# Files


def test_a_run_comes_back_as_it_was_saved(store: Store) -> None:
    run = trajectory(40)
    path = store.save(SPEC, run)
    assert path == store.path(SPEC)
    assert path.name == f"random-run01-{SPEC.fingerprint('some digest')}.npz"
    assert_same(store.load(SPEC), run)
    assert store.read(SPEC)[1].versions == versions()
    assert names(store) == [path.name]


def test_a_run_names_the_cpu_that_made_it(store: Store) -> None:
    store.save(SPEC, trajectory(40))
    assert store.read(SPEC)[1].cpu == cpu.features(torch=False)
    store.save(SPEC, trajectory(40), {"machine": "another"})
    assert store.read(SPEC)[1].cpu == {"machine": "another"}


@pytest.mark.parametrize("method, named", [(SIMPLE_DEEP, True), (LINEAR, False)])
def test_torch_s_instructions_are_named_for_networks_only(
    store: Store, method: Method, named: bool
) -> None:
    """Else the file of the same run would depend on what the process had done before."""
    import torch

    spec = replace(SPEC, method=method)
    store.save(spec, trajectory(40))
    level = torch.backends.cpu.get_cpu_capability()
    assert store.read(spec)[1].cpu.get("torch") == (level if named else None)


def test_a_run_of_before_cpus_were_named_tells_of_none(store: Store) -> None:
    path = store.save(SPEC, trajectory(40))
    arrays, told = read_arrays(path)
    del told["cpu"]
    write_arrays(path, arrays, told)
    assert store.read(SPEC)[1].cpu == {}


def test_a_run_under_the_name_that_version_0_1_gave_it_is_found_and_renamed(store: Store) -> None:
    path = store.save(SPEC, trajectory(40))
    content = path.read_bytes()
    for experiment in ("low_noise", "high_noise"):
        path.with_name(f"{experiment}-{path.name}").write_bytes(content)
    path.unlink()
    assert missing([Job(NAME, SPEC)], store) == []
    assert path.read_bytes() == content
    assert not store.has(replace(SPEC, run=2))
    backup = path.with_name(f"my-backup-of-{store.path(replace(SPEC, run=2)).name}")
    backup.write_bytes(content)
    assert not store.has(replace(SPEC, run=2))  # not a name that we gave


def test_a_checkpoint_under_its_old_name_is_gone_on_from(store: Store) -> None:
    store.save_checkpoint(SPEC, trajectory(20), None)
    path = store.checkpoint_path(SPEC)
    old = path.with_name(f"low_noise-{path.name}")
    os.replace(path, old)
    assert_same(store.load_checkpoint(SPEC)[0], trajectory(20))
    os.replace(path, old)
    store.save(SPEC, trajectory(40))
    assert missing([Job(NAME, SPEC)], store) == []
    assert names(store) == [store.path(SPEC).name]


def test_junk_under_every_name_of_a_run_is_no_run(store: Store, sample: mnist.Mnist) -> None:
    path = store.path(SPEC)
    path.parent.mkdir(parents=True)
    for name in (path.name, f"a-{path.name}", f"b-{path.name}"):
        path.with_name(name).write_bytes(b"junk")
    store = replace(store, digest=sample.digest)
    for name in (f"a-{store.path(SPEC).name}", f"b-{store.path(SPEC).name}"):
        path.with_name(name).write_bytes(b"junk")
    said: list[str] = []
    assert complete([Job(NAME, SPEC)], sample, store, progress=False, say=said.append) == []
    assert len(store.load(SPEC)) == SPEC.steps
    assert len(said) == 2


def test_a_folder_may_be_named_by_a_string(store: Store) -> None:
    store.save(SPEC, trajectory(40))
    assert_same(Store(str(store.folder), store.digest).load(SPEC), trajectory(40))  # type: ignore[arg-type]


def test_the_same_run_gives_the_same_bytes(store: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "elsewhere", store.digest)
    first, second = (s.save(SPEC, trajectory(40)) for s in (store, other))
    os.utime(first, (0, 0))
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as file:
        assert {info.date_time for info in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_every_setting_and_the_data_name_another_file(store: Store) -> None:
    others = [
        replace(SPEC, run=2),
        replace(SPEC, steps=41),
        replace(SPEC, seed=1),
        replace(SPEC, arms=4),
        replace(SPEC, noise=1.0),
        replace(SPEC, train_every=1),
        replace(SPEC, method=LINEAR),
        replace(SPEC, method=replace(RANDOM, pixel_scale=255.0)),
        replace(SPEC, method=replace(RANDOM, p=0.5)),
    ]
    paths = {store.path(spec) for spec in [SPEC, *others]}
    paths |= {replace(store, digest="x").path(SPEC)}
    paths |= {replace(store, device="cuda").path(SPEC)}
    assert len(paths) == len(others) + 3
    renamed = replace(SPEC, method=replace(RANDOM, label="another label"))
    assert store.path(renamed) == store.path(SPEC)


def test_a_missing_run_is_not_an_error_of_the_store(store: Store) -> None:
    for load in (store.load, store.read, store.load_checkpoint):
        with pytest.raises(FileNotFoundError):
            load(SPEC)
    assert not store.folder.exists()


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    return buffer.getvalue()


def npz(**arrays: object) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def about(store: Store, **changes: object) -> str:
    whole = {"format": 1, "settings": SPEC.settings(store.digest), "versions": {}}
    return json.dumps(whole | changes)


BAD = {
    "empty": lambda whole, arrays, store: b"",
    "one byte": lambda whole, arrays, store: whole[:1],
    "half": lambda whole, arrays, store: whole[: len(whole) // 2],
    "a byte short": lambda whole, arrays, store: whole[:-1],
    "hole": lambda whole, arrays, store: whole[:600] + bytes(64) + whole[664:],
    "text": lambda whole, arrays, store: b"an HTML page\n" * 50,
    "pickle": lambda whole, arrays, store: npz(
        about=about(store), **(arrays | {"rewards": np.array([{}] * 40)})
    ),
    "npy": lambda whole, arrays, store: npy(np.arange(40)),
    "pickled npy": lambda whole, arrays, store: npy(np.array([{}], dtype=object)),
    "zip of text": lambda whole, arrays, store: zipped(
        {"steps": b"40", "actions.npy": b"no array", "about": b"{}"}
    ),
    "foreign npz": lambda whole, arrays, store: npz(x=np.arange(3)),
    "no description": lambda whole, arrays, store: npz(**arrays),
    "description not JSON": lambda whole, arrays, store: npz(about="no JSON", **arrays),
    "description a list": lambda whole, arrays, store: npz(about="[]", **arrays),
    "no settings": lambda whole, arrays, store: npz(about="{}", **arrays),
    "other format": lambda whole, arrays, store: npz(about=about(store, format=2), **arrays),
    "other settings": lambda whole, arrays, store: npz(
        about=about(store, settings=replace(SPEC, seed=1).settings(store.digest)), **arrays
    ),
    "other data": lambda whole, arrays, store: npz(
        about=about(store, settings=SPEC.settings("other")), **arrays
    ),
    "other steps": lambda whole, arrays, store: npz(about=about(store), **pack(trajectory(39))),
    "no run": lambda whole, arrays, store: npz(about=about(store)),
}
"""Contents of a file, made of a whole one, its packed arrays and the store."""


@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_cannot_be_used_is_named_set_aside_and_redone(
    kind: str, tmp_path: Path, sample: mnist.Mnist
) -> None:
    store = Store(tmp_path / "runs", sample.digest)
    path = store.path(SPEC)
    bad = BAD[kind](store.save(SPEC, trajectory(40)).read_bytes(), pack(trajectory(40)), store)
    path.write_bytes(bad)
    with pytest.raises(StoreError):
        store.load(SPEC)
    said: list[str] = []
    assert complete([Job(NAME, SPEC)], sample, store, progress=False, say=said.append) == []
    aside = path.with_name(path.name + ".set-aside0")
    assert len(said) == 1
    assert path.name in said[0]
    assert aside.name in said[0]
    assert aside.read_bytes() == bad
    assert len(store.load(SPEC)) == 40
    assert names(store) == sorted([path.name, aside.name])


def test_a_folder_in_a_run_s_place_is_set_aside(store: Store) -> None:
    path = store.path(SPEC)
    (path / "inside").mkdir(parents=True)
    with pytest.raises(StoreError, match="a directory, not a file"):
        store.load(SPEC)
    said: list[str] = []
    assert missing([Job(NAME, SPEC)], store, said.append) == [Job(NAME, SPEC)]
    assert names(store) == [path.name + ".set-aside0"]
    assert "directory" in said[0]


def test_a_store_below_a_regular_file_holds_nothing_and_takes_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    store = Store(tmp_path / "file" / "runs", "d")
    assert missing([Job(NAME, SPEC)], store) == [Job(NAME, SPEC)]
    with pytest.raises(OSError, match="file"):
        store.save(SPEC, trajectory(40))


def test_pickled_arrays_are_refused_unread(store: Store, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple:
            return (Path.touch, (tmp_path / "sprung",))

    store.folder.mkdir()
    path = store.path(SPEC)
    path.write_bytes(npz(about=about(store), steps=np.array([Trap()], dtype=object)))
    with pytest.raises(StoreError, match="allow_pickle"):
        store.load(SPEC)
    assert not (tmp_path / "sprung").exists()


@settings(max_examples=50)
@given(data=st.data())
def test_damage_never_raises_anything_but_a_store_error(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = Store(tmp_path_factory.getbasetemp() / "damaged", "d")
    run = trajectory(40)
    path = store.save(SPEC, run)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        read = store.load(SPEC)
    except StoreError:
        return
    assert_same(read, run)  # the damage hit a byte that carries nothing, as a date does


def test_setting_aside_never_overwrites(tmp_path: Path) -> None:
    for number in range(3):
        path = tmp_path / "run.npz"
        path.write_text(str(number))
        assert set_aside(path).read_text() == str(number)
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"run.npz.set-aside{n}" for n in range(3)]


# What cannot have happened


def with_value(field: str, value: float, at: int = 7) -> Trajectory:
    run = trajectory(40)
    values = getattr(run, field).copy()
    values[at] = value
    return replace(run, **{field: values})


IMPOSSIBLE = [
    ("actions", 99, "an action outside 0..4"),
    ("actions", 5, "an action outside 0..4"),
    ("actions", -1, "an action outside 0..4"),
    ("rewards", np.nan, "a reward that is not finite"),
    ("rewards", -np.inf, "a reward that is not finite"),
    ("means", np.nan, "a mean outside 0..9"),
    ("means", -1.0, "a mean outside 0..9"),
    ("best_means", np.inf, "a mean outside 0..9"),
    ("best_means", 77.0, "a mean outside 0..9"),
    ("best_means", -0.5, "a mean outside 0..9"),
    ("propensities", 0.0, r"a probability outside \(0, 1\]"),
    ("propensities", -0.1, r"a probability outside \(0, 1\]"),
    ("propensities", 1.001, r"a probability outside \(0, 1\]"),
    ("propensities", np.inf, r"a probability outside \(0, 1\]"),
]


@pytest.mark.parametrize("field, value, told", IMPOSSIBLE)
def test_a_whole_file_that_tells_of_the_impossible_is_damaged(
    store: Store, field: str, value: float, told: str
) -> None:
    store.save(SPEC, with_value(field, value))
    with pytest.raises(StoreError, match=f"holds {told}, at t = 8"):
        store.load(SPEC)
    store.save_checkpoint(SPEC, with_value(field, value)[:20], None)
    with pytest.raises(StoreError, match=f"holds {told}, at t = 8"):
        store.load_checkpoint(SPEC)
    said: list[str] = []
    assert missing([Job(NAME, SPEC)], store, said.append) == [Job(NAME, SPEC)]
    assert [line.count("set aside as") for line in said] == [1, 1]


def test_predictions_are_there_where_asked_for_and_nowhere_else(store: Store) -> None:
    asked = replace(SPEC, keep_predictions=True)
    kept = np.linspace(-1, 9, 40, dtype=np.float32)
    kept[3] = np.nan  # from a policy that predicts nothing
    run = replace(trajectory(40), predictions=kept)
    store.save(asked, run)
    assert_same(store.load(asked), run)
    store.save_checkpoint(asked, run[:20], None)
    assert_same(store.load_checkpoint(asked)[0], run[:20])
    for spec, wrong, told in (
        (asked, trajectory(40), "it holds no predictions"),
        (SPEC, run, "it holds predictions"),
        (asked, replace(run, predictions=np.where(kept > 8, np.inf, kept)), "it predicts inf"),
    ):
        store.save(spec, wrong)
        with pytest.raises(StoreError, match=told):
            store.load(spec)


def test_a_negative_regret_is_damage_and_no_regret_is_none(store: Store) -> None:
    run = trajectory(40)
    best = run.best_means.copy()
    best[11], run.means[11] = 3.0, 4.0
    store.save(SPEC, replace(run, best_means=best))
    with pytest.raises(StoreError, match="a negative regret, at t = 12"):
        store.load(SPEC)
    store.save(SPEC, replace(run, best_means=run.means))
    assert not store.load(SPEC).regret.any()


@pytest.mark.parametrize(
    "field, values",
    [
        ("actions", np.full(40, 1.5)),
        ("rewards", np.ones(40)),  # float64 would lose digits in silence
        ("means", np.ones(40, complex)),
        ("steps", np.array(40.0)),
        ("steps", np.array(np.inf)),
        ("steps", np.array([40])),
        ("steps", np.array(-40)),
    ],
)
def test_numbers_of_another_kind_are_damage(store: Store, field: str, values: np.ndarray) -> None:
    with pytest.raises(StoreError):
        unpack(pack(trajectory(40)) | {field: values})


@pytest.mark.parametrize(
    "steps, state",
    [
        (60, None),  # more than the whole run
        (30, None),  # between two stages
        (20, {"0/weight": np.array([1.0, np.nan], np.float32)}),
        (20, {"0/weight": np.array(["x"])}),
    ],
)
def test_a_checkpoint_that_no_run_can_go_on_from_is_set_aside(
    store: Store, steps: int, state: dict | None
) -> None:
    store.save_checkpoint(SPEC, trajectory(steps), state)
    path = store.checkpoint_path(SPEC)
    said: list[str] = []
    assert missing([Job(NAME, SPEC)], store, said.append) == [Job(NAME, SPEC)]
    assert names(store) == [path.name + ".set-aside0"]
    assert path.name in said[0]


@pytest.mark.parametrize("made_by", [None, "numpy 2", {"numpy": 2}])
def test_a_run_without_the_versions_that_made_it_is_damaged(store: Store, made_by: object) -> None:
    text = json.dumps(json.loads(about(store)) | {"versions": made_by})
    store.folder.mkdir()
    store.path(SPEC).write_bytes(npz(about=text, **pack(trajectory(40))))
    with pytest.raises(StoreError, match="which versions made it"):
        store.load(SPEC)


# What cannot be read

REASONS: dict[str, tuple[BaseException, str, str]] = {
    "permission": (PermissionError(errno.EACCES, "x"), "Permission denied", "ask its owner"),
    "files": (OSError(errno.EMFILE, "x"), "Too many open files", "ulimit -n"),
    "memory": (MemoryError(), "Cannot allocate memory", "fewer --workers"),
    "disk": (OSError(errno.EIO, "x"), "Input/output error", "check the disk"),
    "odd": (OSError(errno.ESTALE, "x"), "Stale file handle", "name another folder"),
}


@pytest.mark.parametrize("what", ["run", "checkpoint"])
@pytest.mark.parametrize("reason", REASONS)
def test_a_file_that_cannot_be_read_is_named_and_left_before_any_work(
    reason: str, what: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    error, told, mend = REASONS[reason]
    store.save(SPEC, trajectory(40))
    store.save_checkpoint(SPEC, trajectory(20), None)
    if what == "checkpoint":
        store.path(SPEC).unlink()
    before = names(store)

    def refuse(path: object, *arguments: object) -> None:
        raise error

    monkeypatch.setattr("bandits.engine.files.open", refuse, raising=False)
    said: list[str] = []
    with pytest.raises(Unreadable) as caught:
        missing([Job(NAME, SPEC)], store, said.append)
    assert (said, names(store)) == ([], before)
    message = str(caught.value)
    for text in (str(store.folder), f"cannot be read ({told}); it is left there", mend):
        assert text in message


def test_a_run_met_with_too_many_files_open_is_read_when_they_are_closed(store: Store) -> None:
    resource = pytest.importorskip("resource")
    store.save(SPEC, trajectory(40))
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, limits[1]))
    taken: list[int] = []
    try:
        with suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        with pytest.raises(Unreadable, match=r"Too many open files.*ulimit -n"):
            missing([Job(NAME, SPEC)], store)
    finally:
        for descriptor in taken:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert missing([Job(NAME, SPEC)], store) == []


def test_a_whole_file_larger_than_memory_is_left(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """np.load allocates what is in the file, once the checksums have held."""
    store.save(SPEC, trajectory(40))

    def small(*arguments: object, **options: object) -> None:
        raise MemoryError

    monkeypatch.setattr(np, "load", small)
    with pytest.raises(Unreadable, match=r"Cannot allocate memory.*left there"):
        store.load(SPEC)
    path = store.path(SPEC)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(StoreError, match="not a whole"):  # proved before np.load is asked
        store.load(SPEC)


@pytest.mark.parametrize("method", [9, 12, 14, 99])
def test_a_damaged_way_of_packing_is_damage(store: Store, method: int) -> None:
    """Other decompressors than deflate raise other errors, among them OSError and LZMAError."""
    path = store.save(SPEC, trajectory(40))
    content = path.read_bytes()
    for header, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        parts = content.split(header)
        rest = [
            part[: offset - 4] + method.to_bytes(2, "little") + part[offset - 2 :]
            for part in parts[1:]
        ]
        content = header.join([parts[0], *rest])
    path.write_bytes(content)
    with pytest.raises(StoreError, match="not a whole"):
        store.load(SPEC)


@pytest.mark.parametrize("kind", ["named pipe", "device", "socket", "directory"])
def test_what_is_no_file_is_not_waited_for(store: Store, kind: str) -> None:
    store.folder.mkdir()
    path = store.path(SPEC)
    if kind == "named pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")  # reading it would never end
    elif kind == "socket":
        here = os.getcwd()
        os.chdir(store.folder)  # the path of a socket must be short
        try:
            with socket.socket(socket.AF_UNIX) as one:
                one.bind("s")
        finally:
            os.chdir(here)
        os.replace(store.folder / "s", path)
    else:
        path.mkdir()
    said: list[str] = []
    assert missing([Job(NAME, SPEC)], store, said.append) == [Job(NAME, SPEC)]
    assert f"{path.name} cannot be used: it is a {kind}, not a file; set aside" in said[0]
    assert names(store) == [path.name + ".set-aside0"]


def test_a_damaged_file_that_cannot_be_renamed_is_named(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.folder.mkdir()
    path = store.path(SPEC)
    path.write_bytes(b"half")

    def sticky(source: Path, target: Path) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "replace", sticky)
    with pytest.raises(OSError, match=r"cannot be renamed \(Operation not permitted"):
        missing([Job(NAME, SPEC)], store)
    assert path.read_bytes() == b"half"


def test_two_commands_that_meet_one_damaged_file_both_go_on(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    assert set_aside(path) == tmp_path / "run.npz.set-aside0"
    (tmp_path / "run.npz.set-aside0").symlink_to("nowhere")
    path.write_text("kept")
    assert set_aside(path).name == "run.npz.set-aside1"


# Checkpoints


@pytest.mark.parametrize("with_state", [True, False])
def test_checkpoints_come_back_as_they_were_saved(store: Store, with_state: bool) -> None:
    done = trajectory(60)[:40]
    state = {"0/hidden.weight": np.arange(6, dtype=np.float32).reshape(2, 3), "step": np.array(3.0)}
    store.save_checkpoint(SPEC, done, state if with_state else None)
    assert names(store) == [store.checkpoint_path(SPEC).name]
    past, read = store.load_checkpoint(SPEC)
    assert_same(past, done)
    if not with_state:
        assert read is None
        return
    assert read is not None
    assert read.keys() == state.keys()
    for key, value in state.items():
        assert read[key].dtype == value.dtype
        np.testing.assert_array_equal(read[key], value)


def test_an_empty_state_is_a_state(store: Store) -> None:
    store.save_checkpoint(SPEC, trajectory(20), {})
    assert store.load_checkpoint(SPEC)[1] == {}


def test_a_checkpoint_is_no_finished_run(store: Store) -> None:
    store.save_checkpoint(SPEC, trajectory(20), None)
    assert missing([Job(NAME, SPEC)], store) == [Job(NAME, SPEC)]
    assert names(store) == [store.checkpoint_path(SPEC).name]


# Temporary files


def leftover(path: Path, writer: str = "host-123") -> Path:
    path.parent.mkdir(exist_ok=True)
    temporary = path.with_name(f".{path.name}.{writer}.tmp")
    temporary.write_bytes(b"half")
    return temporary


def test_temporary_files_of_killed_writers_are_swept_and_no_others(store: Store) -> None:
    mine = [store.path(SPEC), store.checkpoint_path(SPEC)]
    for path in mine:
        leftover(path)
        leftover(path, "other.host-9")
    other = leftover(store.path(replace(SPEC, run=2)))
    store.save_checkpoint(SPEC, trajectory(20), None)
    store.save(SPEC, trajectory(40))
    store.drop_checkpoint(SPEC)
    assert names(store) == sorted([mine[0].name, other.name])


def test_finding_a_whole_run_clears_what_a_killed_command_left_beside_it(store: Store) -> None:
    store.save(SPEC, trajectory(40))
    store.save_checkpoint(SPEC, trajectory(20), None)
    leftover(store.path(SPEC))
    assert missing([Job(NAME, SPEC)], store) == []
    assert names(store) == [store.path(SPEC).name]


def test_a_failed_write_leaves_the_old_file_and_no_other(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = trajectory(40)
    path = store.save(SPEC, run)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.save(SPEC, trajectory(40, seed=1))
    assert names(store) == [path.name]
    assert_same(store.load(SPEC), run)


@pytest.mark.parametrize("what", ["run", "checkpoint"])
def test_a_writer_overtaken_by_another_command_is_content(
    store: Store, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """The other finishes the same run between our write and our rename, and sweeps."""
    run, overtaken = trajectory(40), []
    rename = os.replace

    def other_command(source: Path, target: Path) -> None:
        monkeypatch.setattr(os, "replace", rename)
        overtaken.append(source)
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: 1)
            store.save(SPEC, run)
            store.drop_checkpoint(SPEC)
        rename(source, target)

    monkeypatch.setattr(os, "replace", other_command)
    if what == "run":
        store.save(SPEC, run)
    else:
        store.save_checkpoint(SPEC, run[:20], None)
    assert len(overtaken) == 1
    assert names(store) == [store.path(SPEC).name]
    assert_same(store.load(SPEC), run)


def test_a_file_taken_away_otherwise_is_an_error(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.replace

    def swept(source: Path, target: Path) -> None:
        sweep(Path(target))
        rename(source, target)

    monkeypatch.setattr(os, "replace", swept)
    with pytest.raises(FileNotFoundError):
        store.save(SPEC, trajectory(40))
    with pytest.raises(FileNotFoundError):
        store.save_checkpoint(SPEC, trajectory(20), None)


def test_arrays_and_description_come_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "data.npz"
    write_arrays(path, {"x": np.arange(3), "label": np.array(["ε", "β"])}, {"caption": "σ = 1"})
    arrays, description = read_arrays(path)
    assert description == {"caption": "σ = 1"}
    np.testing.assert_array_equal(arrays["x"], np.arange(3))
    assert arrays["label"].tolist() == ["ε", "β"]


def test_a_member_that_is_no_array_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "data.npz"
    path.write_bytes(zipped({"about.npy": npy(np.array("{}")), "x": b"text"}))
    with pytest.raises(StoreError, match="its x is no array"):
        read_arrays(path)
