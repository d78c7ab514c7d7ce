"""What a fingerprint sees of the user's code, and how a run supplies it."""

import pickle
import subprocess
import sys
import textwrap
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from bandits.checks import UsageError
from bandits.environments import SyntheticBandit
from bandits.experiments import (
    DEEP,
    LINUCB,
    RANDOM,
    LeastSquaresSpec,
    Method,
    RunSpec,
    build_policy,
    check_method,
)
from bandits.experiments.code import Code
from bandits.policies import LinUCB, Random
from bandits.predictors import LeastSquares
from bandits.schedules import PowerSchedule

FILE = """
    # a comment
    import numpy as np

    import helper
    from helper import bonus

    TABLE = np.arange({rows})
    RATE = {rate}


    def other():
        return {other}


    def scale(x):
        return RATE * x


    class Mine:
        '''{words}'''

        def __init__(self, arms, c=1.0):
            self.arms, self.c = arms, c

        def choose(self, contexts, t, draws):
            return scale(bonus(self.arms)) + helper.{called}() + len(TABLE)
"""
HELPER = """
    from deeper import DEPTH


    def bonus(x):
        return {bonus} * x


    def more():
        return DEPTH


    def less():
        return 0
"""
USUAL = {"rows": 3, "rate": 2.0, "other": 1, "words": "Words.", "called": "more", "bonus": 5,
         "depth": 1}  # fmt: skip
READ = "import study; from bandits.experiments.code import Code; print(Code(study.Mine).told)"


def told(folder: Path, **changes: object) -> str:
    values = USUAL | changes
    folder.mkdir(exist_ok=True)
    for name, text in (("study", FILE), ("helper", HELPER), ("deeper", "DEPTH = {depth}")):
        source = textwrap.dedent(text).format(**values)
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    environment = {"PYTHONPATH": f"{folder}:{Path(__file__).parent.parent}"}
    words = [sys.executable, "-B", "-c", READ]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_a_fingerprint_sees_what_can_take_part_and_nothing_else(tmp_path: Path) -> None:
    usual = told(tmp_path)
    assert "Mine" in usual
    for same in ({"words": "Other words."}, {"other": 7}):
        assert told(tmp_path, **same) == usual, same
    for change in (
        {"rate": 3.0},  # a constant that a function reads which the class calls
        {"rows": 4},  # an array
        {"bonus": 6},  # a function of another file
        {"depth": 2},  # a third file, reached by a module's name only
        {"called": "less"},  # the class itself
    ):
        assert told(tmp_path, **change) != usual, change


def test_objects_are_told_by_what_they_hold() -> None:
    def same(one: object, other: object) -> bool:
        assert (Code(one) == Code(other)) == (Code(one).told == Code(other).told)
        return Code(one) == Code(other)

    assert Code(PowerSchedule(0.5)).told == {"is": "PowerSchedule", "p": "0.5"}
    assert same(PowerSchedule(0.5), PowerSchedule(0.5))
    assert not same(PowerSchedule(0.5), PowerSchedule(0.25))
    assert not same(SyntheticBandit(3), SyntheticBandit(4))
    assert same(partial(LinUCB, alpha=2.0), partial(LinUCB, alpha=2.0))
    assert not same(partial(LinUCB, alpha=2.0), partial(LinUCB, alpha=3.0))

    def at(level: float) -> object:
        return lambda t: level

    assert same(at(0.1), at(0.1))
    assert not same(at(0.1), at(0.2))
    for one, other in (([1, 2], [2, 1]), ({"a": 1}, {"a": 2}), (b"a", b"b"), (1, True), ({1}, {2}),
                       (np.zeros(2), np.zeros(3)), (np.zeros(2), np.ones(2))):  # fmt: skip
        assert same(partial(at, one), partial(at, one))
        assert not same(partial(at, one), partial(at, other))


def test_a_copy_keeps_what_was_told_of_the_original() -> None:
    code = Code(at_most_one)
    copy = pickle.loads(pickle.dumps(code))
    assert copy._told == code.told  # not looked up anew
    assert copy == code
    assert copy.value is at_most_one


def at_most_one(t: np.ndarray) -> np.ndarray:
    return np.minimum(1.0, 2 / t)


def test_torch_is_seen_where_it_is_reached(tmp_path: Path) -> None:
    def lazily() -> None:
        import torch  # noqa: F401

    def never() -> None:
        import json  # noqa: F401

    assert Code(lazily).torch
    assert not Code(never).torch


def test_what_has_no_source_is_refused_in_one_sentence() -> None:
    made: dict[str, object] = {"__name__": "__main__"}
    exec("def f(t): return 0.1", made)
    with pytest.raises(UsageError, match="the source of f cannot be read"):
        _ = Code(made["f"]).told


class Greedy:
    """A policy that names what it wants."""

    def __init__(self, arms: int, predictor: object, schedule: object, bonus: float = 0.0) -> None:
        self.arms, self.predictor, self.schedule, self.bonus = arms, predictor, schedule, bonus


def test_a_policy_is_given_what_it_names() -> None:
    rounds = SyntheticBandit(3, size=2).rounds(1, 0, 10)

    def built(method: Method) -> object:
        return build_policy(RunSpec(method, 0, 10, arms=3), rounds)

    ucb = built(Method("ucb", "UCB", "linucb", parameters={"alpha": 2.0}, ties="random"))
    assert isinstance(ucb, LinUCB)
    assert (ucb.alpha, ucb.ties, ucb.model.ridge) == (2.0, "random", 1.0)
    mine = built(
        Method("mine", "Mine", Greedy, predictor=LeastSquaresSpec(2.0), schedule=at_most_one,
               parameters={"bonus": 0.5})
    )  # fmt: skip
    assert isinstance(mine, Greedy)
    assert isinstance(mine.predictor, LeastSquares)
    assert (mine.arms, mine.schedule, mine.bonus) == (3, at_most_one, 0.5)
    own = built(Method("own", "Own", "epsilon_greedy", predictor=LeastSquares))
    assert isinstance(own.predictor, LeastSquares)  # type: ignore[attr-defined]
    assert own.predictor.model.context_size == 2  # type: ignore[attr-defined]
    numbers = built(Method("n", "N", lambda generator: [generator(t).random() for t in (1, 2, 1)]))
    assert numbers[0] == numbers[2] != numbers[1]  # type: ignore[index]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (Method("a", "A", "linucb", 1.0), "method a has a setting p, which its policy does not"),
        (Method("a", "A", "random", ties="random"), "a setting ties"),
        (Method("a", "A", "linucb", train_on="random_branch"), "a setting train_on"),
        (Method("a", "A", "linucb", predictor=LeastSquaresSpec()), "a setting predictor"),
        (Method("a", "A", "epsilon_greedy"), "method a needs a predictor"),
        (Method("a", "A", "linucb", parameters={"beta": 1}), "LinUCB has no parameter 'beta'"),
        (Method("a", "A", lambda images: None), "asks for 'images', which a run does not give"),
        (Method("a", "A", "epsilon_greedy", 1.0, LeastSquares, schedule=at_most_one),
         "has p = 1 and a schedule"),
        (Method("a", "A", "epsilon_greedy", predictor=lambda schedule: None), "for 'schedule'"),
    ],
)  # fmt: skip
def test_what_nothing_reads_is_refused(method: Method, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_method(method)
    for known in (RANDOM, LINUCB, DEEP):
        check_method(known)
    assert RANDOM.makes is Random
