"""The architecture study: unseen means unseen, costs counted by hand, and every trial done once."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bandits import cli
from bandits.engine import runs
from bandits.engine.files import Unreadable
from bandits.engine.npz import read_arrays, write_arrays
from bandits.engine.store import Store
from bandits.experiments import EXPERIMENTS, STUDY
from bandits.experiments.study import StudyScale
from bandits.mnist import Mnist
from bandits.results import architecture_study, figures, supervised
from bandits.results.data import Data
from bandits.results.supervised import CANDIDATES, Trial

TINY = StudyScale(1, 2, (10, 20))


def made_up(trial: Trial, mnist: Mnist, device: str = "cpu") -> float:
    """Another number for each trial, in place of an hour of training."""
    return list(CANDIDATES).index(trial.candidate) + trial.size / 100 + trial.run / 1000


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(supervised, "held_out_error", made_up)
    monkeypatch.setitem(EXPERIMENTS, STUDY.name, replace(STUDY, glance=TINY))


def trials() -> list[Trial]:
    return architecture_study.trials(STUDY, TINY)


def do(folder: Path, sample: Mnist, say: Callable[[str], None] = print) -> Data:
    """As the command does: what is missing, then the data."""
    store = Store(folder, sample.digest)
    work = figures.tasks(STUDY, TINY)
    assert runs.complete(work, sample, store, progress=False, say=say) == []
    return figures.collected(STUDY, TINY, store)[0]


def path(trial: Trial, folder: Path, digest: str) -> Path:
    return Store(folder, digest).path(trial.task())


def rows(mnist: Mnist) -> list[bytes]:
    return [image.tobytes() for image in mnist.images]


def test_without_a_test_set_half_of_each_digit_is_kept_unseen(sample):
    assert not len(sample.test_images)
    train, test = supervised.split(sample)
    assert sorted(rows(train) + rows(test)) == sorted(rows(sample))
    assert not set(rows(train)) & set(rows(test))
    counts = [np.bincount(part.labels, minlength=10) for part in (train, test)]
    assert np.abs(counts[0] - counts[1]).max() <= 1
    label = dict(zip(rows(sample), sample.labels, strict=True))
    assert all(label[image] == digit for image, digit in zip(rows(test), test.labels, strict=True))


def test_the_test_set_is_used_where_there_is_one(sample):
    whole = replace(sample, test_images=sample.images[:7], test_labels=sample.labels[:7])
    train, test = supervised.split(whole)
    assert rows(train) == rows(sample)
    assert rows(test) == rows(sample)[:7]
    assert list(test.labels) == list(sample.labels[:7])


def test_operations_are_those_counted_by_hand():
    """Two per weight and place; pooling, ReLU and offsets are not counted."""
    simple, chosen = (CANDIDATES[name][1] for name in ("simple", "side_fold2"))
    assert supervised.megaflops(simple, 5 * 784) * 1e6 == 2 * (3920 * 100 + 100)
    convolutions = (8 * 12 * 68) * (4 * 9) + (16 * 4 * 32) * (8 * 9) + (32 * 2 * 16) * (16 * 9)
    assert supervised.megaflops(chosen, 5 * 784) * 1e6 == 2 * (
        convolutions + 32 * 1 * 8 * 100 + 100
    )


def test_a_network_learns_the_digit_of_the_first_image(sample):
    trial = Trial("simple", size=400, run=0, epochs=12)
    error = supervised.held_out_error(trial, sample)
    untrained = supervised.held_out_error(replace(trial, size=1, epochs=1), sample)
    assert error < 8.25 < untrained  # the digit's variance is what the best constant leaves
    assert supervised.held_out_error(trial, sample) == error
    assert supervised.held_out_error(replace(trial, run=1), sample) != error


@pytest.mark.usefixtures("quick")
def test_every_trial_is_done_once_and_put_in_its_place(sample, tmp_path, monkeypatch):
    data = do(tmp_path, sample)
    expected = [
        [[made_up(Trial(name, size, run, 1), sample) for run in range(2)] for size in (10, 20)]
        for name in CANDIDATES
    ]
    np.testing.assert_array_equal(data["error"], expected, strict=True)
    assert list(data["candidates"]) == list(CANDIDATES)
    assert str(data["chosen"]) in CANDIDATES
    assert len(list(tmp_path.iterdir())) == len(trials()) == len(CANDIDATES) * 4
    monkeypatch.setattr(supervised, "held_out_error", lambda *a: pytest.fail("done again"))
    np.testing.assert_array_equal(do(tmp_path, sample)["error"], data["error"])


@pytest.mark.usefixtures("quick")
def test_a_file_that_cannot_be_used_is_named_set_aside_and_made_again(sample, tmp_path):
    do(tmp_path, sample)
    first, second, *_ = trials()
    broken, moved = (path(t, tmp_path, sample.digest) for t in (first, second))
    whole = broken.read_bytes()
    broken.write_bytes(whole[:100])
    moved.write_bytes(whole)
    said: list[str] = []
    data = do(tmp_path, sample, said.append)
    assert data["error"][0, :, 0] == pytest.approx([0.1, 0.2])
    assert [broken.name in said[0], moved.name in said[1], len(said)] == [True, True, 2]
    assert "made with other settings than its name says" in said[1]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("error", [np.nan, -1.0, np.inf, np.zeros(2), np.array("x"), np.float32(1)])
def test_an_error_that_no_network_can_have_is_damage(error, sample, tmp_path):
    task = trials()[0].task()
    file = Store(tmp_path, sample.digest).path(task)
    write_arrays(file, {"error": np.array(error)}, {"settings": task.settings(sample.digest)})
    said: list[str] = []
    assert do(tmp_path, sample, said.append)["error"][0, 0, 0] == 0.1
    assert len(said) == 1
    assert f"{file.name} cannot be used: its error is no finite number >= 0" in said[0]


@pytest.mark.usefixtures("quick")
def test_a_trial_that_cannot_be_read_is_named_before_any_work(sample, tmp_path, monkeypatch):
    write_arrays(path(trials()[-1], tmp_path, sample.digest), {"error": np.array(1.0)}, {})

    def refuse(path, *arguments):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("bandits.engine.files.open", refuse, raising=False)
    monkeypatch.setattr(supervised, "held_out_error", lambda *a: pytest.fail("work was begun"))
    with pytest.raises(Unreadable, match=r"Permission denied.*left there: ask its owner"):
        do(tmp_path, sample)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_trial_of_other_data_or_settings_has_another_file(sample, tmp_path):
    trial = Trial("simple", 10, 0, 1)
    changes = {"candidate": "side_pool", "size": 11, "run": 1, "epochs": 2, "seed": 3}
    others = [replace(trial, **{name: value}) for name, value in changes.items()]
    paths = {path(t, tmp_path, sample.digest) for t in (trial, *others)}
    assert len(paths | {path(trial, tmp_path, "other")}) == 7


@pytest.mark.usefixtures("quick")
def test_the_command_draws_it_beside_its_data_and_redraws_the_same(tmp_path, capsys):
    words = ["figures", "architecture_study", "--scale", "glance", "--mnist", "sample"]
    words += ["--workers", "1"]
    assert cli.main([*words, "--out", str(tmp_path)]) == 0
    png = tmp_path / "architecture_study.png"
    assert f"architecture_study: {png}" in capsys.readouterr().out
    arrays, _ = read_arrays(tmp_path / "architecture_study.npz")
    assert arrays["error"].shape == (len(CANDIDATES), 2, 2)
    about = json.loads((tmp_path / "architecture_study.json").read_text())
    assert about["data"]["source"] == "sample"
    assert {(tmp_path / "runs" / name).exists() for name in about["tasks"]} == {True}
    before = png.read_bytes()
    png.unlink()
    assert cli.main(["figures", "architecture_study", "--from-data", "--out", str(tmp_path)]) == 0
    assert png.read_bytes() == before


@pytest.mark.parametrize(
    "words, said",
    [
        (["--steps", "3"], "takes no --steps"),
        (["--scale", "glance", "--train-every", "3"], "takes no --train-every"),
        (["--scale", "huge"], "scale must be one of glance, quick, paper, not 'huge'"),
    ],
)
def test_what_the_study_cannot_do_is_one_sentence(words, said, tmp_path, capsys):
    assert cli.main(["run", "architecture_study", *words, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())
