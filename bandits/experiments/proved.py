"""Where our theorems meet the runs: both experiments' runs are those of other figures."""

from bandits.experiments.long import LONG
from bandits.experiments.paper import DEEP
from bandits.experiments.spec import Experiment, Scale

(LONG_LOW_NOISE,) = (item for item in LONG if item.name == "long_low_noise")
LONG_DEEP = LONG_LOW_NOISE.select(["deep"])
PROVED = (
    Experiment(
        "bounds",
        "What is proved of Deep's regret, and what is measured",
        LONG_DEEP.methods,
        quick=LONG_DEEP.quick,
        paper=LONG_DEEP.paper,
        keep_predictions=True,
    ),
    Experiment(
        "undrawn",
        "Arms before a random step draws them: when Deep takes one, and what it predicts",
        (DEEP,),
        paper=Scale(2000, 12),
    ),
)
