"""Several files are written together or not at all, never through a link, and never half."""

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

from bandits.engine.files import STALE_SECONDS, Unreadable, there, write_bytes, write_together
from bandits.engine.npz import packed_bytes, write_arrays
from bandits.experiments import EXPERIMENTS
from bandits.results import figures, plots, saved

ENDINGS = (".npz", ".json", ".png", ".pdf")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def four(folder: Path, text: str) -> dict[Path, bytes]:
    return {folder / f"figure{end}": f"{text} {end}".encode() for end in ENDINGS}


def test_all_are_written_and_nothing_else_is_left(tmp_path: Path) -> None:
    for text in ("old", "new"):
        write_together(four(tmp_path / "folder", text))
        assert contents(tmp_path / "folder") == {
            f"figure{end}": f"{text} {end}".encode() for end in ENDINGS
        }


Broken = Callable[[int], BaseException]


@pytest.mark.parametrize("there_before", [(), ENDINGS, (".npz", ".png")])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_whatever_step_fails_every_path_holds_what_it_held(
    step: str, error: BaseException, there_before: tuple[str, ...], tmp_path: Path
) -> None:
    """Each of the writes, and each of the renames, fails once in its turn."""
    real = getattr(os, step)
    for number in range(20):
        folder = tmp_path / str(number)
        folder.mkdir()
        for end in there_before:
            (folder / f"figure{end}").write_text("old")
        before = contents(folder)
        calls = 0

        def failing(*arguments: object) -> None:
            nonlocal calls
            calls += 1
            if calls == number + 1:  # noqa: B023
                raise error
            real(*arguments)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, step, failing)
            try:
                write_together(four(folder, "new"))
            except type(error):
                assert contents(folder) == before
            else:
                assert contents(folder)["figure.pdf"] == b"new .pdf"
                assert len(contents(folder)) == 4
                assert number == (4 if step == "fsync" else 8), "every step had its turn"
                return
    raise AssertionError("it never succeeded")


@pytest.mark.parametrize("end", ENDINGS)
def test_a_folder_in_a_file_s_place_is_refused_and_stays(end: str, tmp_path: Path) -> None:
    (tmp_path / f"figure{end}" / "inside").mkdir(parents=True)
    with pytest.raises(IsADirectoryError, match=f"figure{end}"):
        write_together(four(tmp_path, "new"))
    assert [path.name for path in tmp_path.iterdir()] == [f"figure{end}"]
    assert (tmp_path / f"figure{end}" / "inside").is_dir()


def test_links_are_replaced_and_what_they_lead_to_stays(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    for end in ENDINGS[:3]:
        target = tmp_path / "elsewhere" / f"kept{end}"
        target.write_text("kept")
        (tmp_path / f"figure{end}").symlink_to(target)
    (tmp_path / "figure.pdf").symlink_to(tmp_path / "nowhere")
    (tmp_path / "one").symlink_to(tmp_path / "elsewhere" / "kept.npz")
    write_together(four(tmp_path, "new"))
    write_bytes(tmp_path / "one", b"1")
    assert set(contents(tmp_path / "elsewhere").values()) == {b"kept"}
    assert not (tmp_path / "nowhere").exists()
    for name in (*(f"figure{end}" for end in ENDINGS), "one"):
        assert not (tmp_path / name).is_symlink()


def test_what_a_killed_writer_left_is_swept_when_it_is_old(tmp_path: Path) -> None:
    old, new, other = (tmp_path / f".{name}.tmp" for name in ("figure.png.a-1", "figure.png.b-2",
                                                              "figure2.png.a-1"))  # fmt: skip
    for path in (old, new, other):
        path.write_bytes(b"half")
    real = os.stat

    def aged(path: object, **options: object) -> os.stat_result:
        found = real(path, **options)  # type: ignore[call-overload]
        if str(path) in (str(old), str(other)):
            fields = list(found)
            fields[9] = int(time.time() - STALE_SECONDS - 5)
            return os.stat_result(fields)
        return found  # type: ignore[no-any-return]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "stat", aged)
        write_together(four(tmp_path, "new"))
    assert {path.name for path in tmp_path.glob(".*")} == {new.name, other.name}


def test_a_folder_that_cannot_be_looked_into_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "stat", refuse)
    with pytest.raises(Unreadable, match=r"low_noise.npz cannot be read \(Permission denied\)"):
        saved.load_those_there(["low_noise"], Path("of another user"))
    with pytest.raises(Unreadable, match="Permission denied"):
        there(Path("x"))


# Figures


@pytest.mark.parametrize("stem", ["low_noise_p0.33", "low_noise_p0.5", "plain", "a.npz", ".hidden"])
def test_endings_are_added_to_a_stem_with_dots(stem: str, tmp_path: Path) -> None:
    figure = plots.new_figure(2, 2)
    assert plots.save(figure, tmp_path / stem) == tmp_path / f"{stem}.png"
    assert set(contents(tmp_path)) == {f"{stem}.png", f"{stem}.pdf"}


def small() -> dict[str, np.ndarray]:
    t = np.arange(1, 5)
    return {
        "t": t,
        "methods": np.array(["random"]),
        "labels": np.array(["Random"]),
        "curves": np.ones((1, 3, 4), np.float32),
        "mean": np.full((1, 4), 4.5),
        "half_width": np.full((1, 4), 0.1),
        "final_reward": np.ones((1, 3)),
        "arm_counts": np.ones((1, 3, 5), int),
    }


ABOUT = {"caption": "glance scale", "title": "ε"}


def test_a_figure_is_four_files_of_which_a_failure_changes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = EXPERIMENTS["low_noise"]
    assert figures._write(shown, tmp_path, small(), ABOUT) == tmp_path / "low_noise.png"
    before = contents(tmp_path)
    assert set(before) == {f"low_noise{end}" for end in ENDINGS}
    other = small() | {"mean": np.full((1, 4), 5.0)}
    for broken in ("savefig", "fsync", "data"):
        with monkeypatch.context() as patch:
            if broken == "savefig":
                patch.setattr(mpl.figure.Figure, "savefig", _full)
            elif broken == "fsync":
                patch.setattr(os, "fsync", _full)
            else:
                other |= {"half_width": np.ones((1, 3))}
            with pytest.raises((OSError, ValueError)):
                figures._write(shown, tmp_path, other, ABOUT)
        assert contents(tmp_path) == before, broken


def _full(*arguments: object, **options: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    "change",
    [
        {"t": np.arange(3)},
        {"mean": np.zeros((0, 4))},
        {"arm_counts": np.array(5)},
        {"half_width": np.array(["x"] * 4)},
        {"methods": np.array(["random", "deep"])},
    ],
    ids=lambda change: next(iter(change)),
)
def test_arrays_that_cannot_be_drawn_are_named_with_their_file(
    change: dict[str, np.ndarray], tmp_path: Path
) -> None:
    path = tmp_path / "low_noise.npz"
    write_arrays(path, small() | change, ABOUT)
    with pytest.raises(ValueError, match=r"low_noise.npz is not this figure's data: "):
        figures.draw("low_noise", tmp_path)
    assert contents(tmp_path) == {path.name: packed_bytes(small() | change, ABOUT)}
