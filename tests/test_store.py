"""A stored run is whole and the right one, or it is refused by name."""

import io
import json
import os
import zipfile
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bandits import cpu, mnist
from bandits.experiments import LINEAR, RANDOM, SIMPLE_DEEP, Method, RunSpec
from bandits.runs import Job, complete, missing
from bandits.simulate import Trajectory
from bandits.store import (
    Store,
    StoreError,
    pack,
    read_arrays,
    set_aside,
    sweep,
    unpack,
    versions,
    write_arrays,
)

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
        propensities=rng.random(steps).astype(np.float32),
    )


def assert_same(one: Trajectory, other: Trajectory) -> None:
    for f in fields(Trajectory):
        a, b = getattr(one, f.name), getattr(other, f.name)
        assert a.dtype == b.dtype, f.name
        np.testing.assert_array_equal(a, b, err_msg=f.name)


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
    path = store.save(NAME, SPEC, run)
    assert path == store.path(NAME, SPEC)
    assert path.name == f"low_noise-random-run01-{SPEC.fingerprint('some digest')}.npz"
    assert_same(store.load(NAME, SPEC), run)
    assert store.provenance(NAME, SPEC) == versions()
    assert names(store) == [path.name]


def test_a_run_names_the_cpu_that_made_it(store: Store) -> None:
    store.save(NAME, SPEC, trajectory(40))
    assert store.made_on(NAME, SPEC) == cpu.features(torch=False)
    store.save(NAME, SPEC, trajectory(40), {"machine": "another"})
    assert store.made_on(NAME, SPEC) == {"machine": "another"}


@pytest.mark.parametrize("method, named", [(SIMPLE_DEEP, True), (LINEAR, False)])
def test_torch_s_instructions_are_named_for_networks_only(
    store: Store, method: Method, named: bool
) -> None:
    """Else the file of the same run would depend on what the process had done before."""
    import torch

    spec = replace(SPEC, method=method)
    store.save(NAME, spec, trajectory(40))
    level = torch.backends.cpu.get_cpu_capability()
    assert store.made_on(NAME, spec).get("torch") == (level if named else None)


def test_a_run_of_before_cpus_were_named_is_taken_over_as_it_is(store: Store) -> None:
    path = store.save(NAME, SPEC, trajectory(40))
    arrays, told = read_arrays(path)
    del told["cpu"]
    write_arrays(path, arrays, told)
    assert store.made_on(NAME, SPEC) == {}
    assert store.adopt("high_noise", SPEC)
    assert store.path("high_noise", SPEC).read_bytes() == path.read_bytes()


def test_a_folder_may_be_named_by_a_string(store: Store) -> None:
    store.save(NAME, SPEC, trajectory(40))
    assert_same(Store(str(store.folder), store.digest).load(NAME, SPEC), trajectory(40))  # type: ignore[arg-type]


def test_the_same_run_gives_the_same_bytes(store: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "elsewhere", store.digest)
    first, second = (s.save(NAME, SPEC, trajectory(40)) for s in (store, other))
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
    paths = {store.path(NAME, spec) for spec in [SPEC, *others]}
    paths |= {replace(store, digest="x").path(NAME, SPEC)}
    paths |= {replace(store, device="cuda").path(NAME, SPEC)}
    assert len(paths) == len(others) + 3
    renamed = replace(SPEC, method=replace(RANDOM, label="another label"))
    assert store.path(NAME, renamed) == store.path(NAME, SPEC)


def test_a_missing_run_is_not_an_error_of_the_store(store: Store) -> None:
    for load in (store.load, store.provenance, store.load_checkpoint):
        with pytest.raises(FileNotFoundError):
            load(NAME, SPEC)
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


def bad_content(kind: str, store: Store) -> bytes:
    whole = store.save(NAME, SPEC, trajectory(40)).read_bytes()
    arrays = pack(trajectory(40))
    middle = len(whole) // 2
    return {
        "empty": b"",
        "one byte": whole[:1],
        "half": whole[:middle],
        "a byte short": whole[:-1],
        "hole": whole[:middle] + bytes(64) + whole[middle + 64 :],
        "text": b"an HTML page\n" * 50,
        "pickle": npz(about=about(store), **(arrays | {"rewards": np.array([{}] * 40)})),
        "npy": npy(np.arange(40)),
        "pickled npy": npy(np.array([{}], dtype=object)),
        "zip of text": zipped({"steps": b"40", "actions.npy": b"no array", "about": b"{}"}),
        "foreign npz": npz(x=np.arange(3)),
        "no description": npz(**arrays),
        "description not JSON": npz(about="no JSON", **arrays),
        "description a list": npz(about="[]", **arrays),
        "no settings": npz(about="{}", **arrays),
        "other format": npz(about=about(store, format=2), **arrays),
        "other settings": npz(
            about=about(store, settings=replace(SPEC, seed=1).settings(store.digest)), **arrays
        ),
        "other data": npz(about=about(store, settings=SPEC.settings("other")), **arrays),
        "other steps": npz(about=about(store), **pack(trajectory(39))),
        "no run": npz(about=about(store)),
    }[kind]


BAD = [
    "empty",
    "one byte",
    "half",
    "a byte short",
    "hole",
    "text",
    "pickle",
    "npy",
    "pickled npy",
    "zip of text",
    "foreign npz",
    "no description",
    "description not JSON",
    "description a list",
    "no settings",
    "other format",
    "other settings",
    "other data",
    "other steps",
    "no run",
]


@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_cannot_be_used_is_named_set_aside_and_redone(
    kind: str, tmp_path: Path, sample: mnist.Mnist
) -> None:
    store = Store(tmp_path / "runs", sample.digest)
    path = store.path(NAME, SPEC)
    bad = bad_content(kind, store)
    path.write_bytes(bad)
    with pytest.raises(StoreError):
        store.load(NAME, SPEC)
    said: list[str] = []
    assert complete([Job(NAME, SPEC)], sample, store, progress=False, say=said.append) == []
    aside = path.with_name(path.name + ".set-aside0")
    assert len(said) == 1
    assert path.name in said[0]
    assert aside.name in said[0]
    assert aside.read_bytes() == bad
    assert len(store.load(NAME, SPEC)) == 40
    assert names(store) == sorted([path.name, aside.name])


def test_a_folder_in_a_run_s_place_is_set_aside(store: Store) -> None:
    path = store.path(NAME, SPEC)
    (path / "inside").mkdir(parents=True)
    with pytest.raises(StoreError, match="not a whole"):
        store.load(NAME, SPEC)
    said: list[str] = []
    assert missing([Job(NAME, SPEC)], store, said.append) == [Job(NAME, SPEC)]
    assert names(store) == [path.name + ".set-aside0"]
    assert "directory" in said[0]


def test_a_store_below_a_regular_file_holds_nothing_and_takes_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    store = Store(tmp_path / "file" / "runs", "d")
    assert missing([Job(NAME, SPEC)], store) == [Job(NAME, SPEC)]
    with pytest.raises(OSError, match="file"):
        store.save(NAME, SPEC, trajectory(40))


def test_pickled_arrays_are_refused_unread(store: Store, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple:
            return (Path.touch, (tmp_path / "sprung",))

    store.folder.mkdir()
    path = store.path(NAME, SPEC)
    path.write_bytes(npz(about=about(store), steps=np.array([Trap()], dtype=object)))
    with pytest.raises(StoreError, match="allow_pickle"):
        store.load(NAME, SPEC)
    assert not (tmp_path / "sprung").exists()


@settings(max_examples=50)
@given(data=st.data())
def test_damage_never_raises_anything_but_a_store_error(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = Store(tmp_path_factory.getbasetemp() / "damaged", "d")
    run = trajectory(40)
    path = store.save(NAME, SPEC, run)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        read = store.load(NAME, SPEC)
    except StoreError:
        return
    assert_same(read, run)  # the damage hit a byte that carries nothing, as a date does


def test_setting_aside_never_overwrites(tmp_path: Path) -> None:
    for number in range(3):
        path = tmp_path / "run.npz"
        path.write_text(str(number))
        assert set_aside(path).read_text() == str(number)
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"run.npz.set-aside{n}" for n in range(3)]


# Checkpoints


@pytest.mark.parametrize("with_state", [True, False])
def test_checkpoints_come_back_as_they_were_saved(store: Store, with_state: bool) -> None:
    done = trajectory(60)[:40]
    state = {"0/hidden.weight": np.arange(6, dtype=np.float32).reshape(2, 3), "step": np.array(3.0)}
    store.save_checkpoint(NAME, SPEC, done, state if with_state else None)
    assert names(store) == [store.checkpoint_path(NAME, SPEC).name]
    past, read = store.load_checkpoint(NAME, SPEC)
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
    store.save_checkpoint(NAME, SPEC, trajectory(20), {})
    assert store.load_checkpoint(NAME, SPEC)[1] == {}


def test_a_checkpoint_is_no_finished_run(store: Store) -> None:
    store.save_checkpoint(NAME, SPEC, trajectory(20), None)
    assert missing([Job(NAME, SPEC)], store) == [Job(NAME, SPEC)]
    assert names(store) == [store.checkpoint_path(NAME, SPEC).name]


# Temporary files


def leftover(path: Path, writer: str = "host-123") -> Path:
    path.parent.mkdir(exist_ok=True)
    temporary = path.with_name(f".{path.name}.{writer}.tmp")
    temporary.write_bytes(b"half")
    return temporary


def test_temporary_files_of_killed_writers_are_swept_and_no_others(store: Store) -> None:
    mine = [store.path(NAME, SPEC), store.checkpoint_path(NAME, SPEC)]
    for path in mine:
        leftover(path)
        leftover(path, "other.host-9")
    other = leftover(store.path(NAME, replace(SPEC, run=2)))
    store.save_checkpoint(NAME, SPEC, trajectory(20), None)
    store.save(NAME, SPEC, trajectory(40))
    store.drop_checkpoint(NAME, SPEC)
    assert names(store) == sorted([mine[0].name, other.name])


def test_finding_a_whole_run_clears_what_a_killed_command_left_beside_it(store: Store) -> None:
    store.save(NAME, SPEC, trajectory(40))
    store.save_checkpoint(NAME, SPEC, trajectory(20), None)
    leftover(store.path(NAME, SPEC))
    assert missing([Job(NAME, SPEC)], store) == []
    assert names(store) == [store.path(NAME, SPEC).name]


def test_a_failed_write_leaves_the_old_file_and_no_other(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = trajectory(40)
    path = store.save(NAME, SPEC, run)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.save(NAME, SPEC, trajectory(40, seed=1))
    assert names(store) == [path.name]
    assert_same(store.load(NAME, SPEC), run)


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
            store.save(NAME, SPEC, run)
            store.drop_checkpoint(NAME, SPEC)
        rename(source, target)

    monkeypatch.setattr(os, "replace", other_command)
    if what == "run":
        store.save(NAME, SPEC, run)
    else:
        store.save_checkpoint(NAME, SPEC, run[:20], None)
    assert len(overtaken) == 1
    assert names(store) == [store.path(NAME, SPEC).name]
    assert_same(store.load(NAME, SPEC), run)


def test_a_file_taken_away_otherwise_is_an_error(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.replace

    def swept(source: Path, target: Path) -> None:
        sweep(Path(target))
        rename(source, target)

    monkeypatch.setattr(os, "replace", swept)
    with pytest.raises(FileNotFoundError):
        store.save(NAME, SPEC, trajectory(40))
    with pytest.raises(FileNotFoundError):
        store.save_checkpoint(NAME, SPEC, trajectory(20), None)


def test_arrays_and_description_come_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "data.npz"
    write_arrays(path, {"x": np.arange(3), "label": np.array(["ε", "β"])}, {"caption": "σ = 1"})
    arrays, description = read_arrays(path)
    assert description == {"caption": "σ = 1"}
    np.testing.assert_array_equal(arrays["x"], np.arange(3))
    assert arrays["label"].tolist() == ["ε", "β"]
