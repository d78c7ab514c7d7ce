"""A figure's data and a run, as tables."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bandits.cli import main
from bandits.results.saved import load_data, load_runs, run_frame

FIGURES = Path(__file__).resolve().parent.parent / "figures"


def test_a_figures_numbers_by_method_and_run() -> None:
    data, _ = load_data("low_noise", FIGURES)
    runs = load_runs("low_noise", FIGURES)["deep"]
    late = [run.means[1500:].mean() for run in runs]
    np.testing.assert_allclose(data.of("late_mean", "deep"), late)
    frame = data.frame()
    assert len(frame) == 6 * 12
    of_deep = frame[frame.method == "deep"].sort_values("run")
    np.testing.assert_allclose(of_deep.late_mean, late)
    with pytest.raises(ValueError, match=r"late_mean.*, not 'lte_mean'"):
        data.of("lte_mean", "deep")
    with pytest.raises(ValueError, match=r"the figure has the methods .*, not 'dep'"):
        data.of("late_mean", "dep")


def test_a_run_step_by_step_and_as_csv(capsys: pytest.CaptureFixture[str]) -> None:
    run = load_runs("low_noise", FIGURES)["random"][0]
    frame = run_frame(run)
    np.testing.assert_array_equal(frame.regret, run.best_means - run.means)
    path = sorted(FIGURES.glob("runs/random-run00-*.npz"))[0]
    assert main(["csv", str(path)]) == 0
    read = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert list(read.columns[:3]) == ["t", "actions", "rewards"]
    assert list(read.t) == list(range(1, len(read) + 1))
    assert main(["csv", str(FIGURES / "low_noise.npz")]) == 0
    assert len(pd.read_csv(io.StringIO(capsys.readouterr().out))) == 72
    assert main(["csv", "nowhere.npz"]) == 2
    assert capsys.readouterr().err == "bandits: nowhere.npz is not there\n"


def test_the_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    told = {item["name"]: item for item in json.loads(capsys.readouterr().out)}
    assert told["low_noise"]["scales"]["paper"] == {"steps": 2000, "runs": 12}
    deep = next(m for m in told["low_noise"]["methods"] if m["name"] == "deep")
    assert deep["predictor"]["training"]["epochs"] == 16
