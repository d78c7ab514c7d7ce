"""How the training choices that the paper leaves open were made, on seeds no figure uses."""

from dataclasses import replace

from bandits.architecture import Training
from bandits.experiments.paper import DEEP, DEEP_ARCHITECTURE
from bandits.experiments.spec import TUNING_SEED, Experiment, Method, NetworkSpec, Scale


def trained(name: str, label: str, training: Training) -> Method:
    """Deep, trained in another way."""
    return replace(DEEP, name=name, label=label, predictor=NetworkSpec(DEEP_ARCHITECTURE, training))


TUNING = (
    Experiment(
        "training_study",
        "Batch size, decay of the rate and state of the optimiser, on tuning seeds",
        (
            trained("batch32", "chosen: 32, constant, kept", Training()),
            trained("batch16", "batches of 16", Training(batch_size=16)),
            trained("batch64", "batches of 64", Training(batch_size=64)),
            trained("decay", "rate falling to 0", Training(decay="linear")),
            trained("fresh", "fresh optimiser", Training(keep_optimizer=False)),
        ),
        glance=Scale(200, 1),
        quick=Scale(400, 2),
        paper=Scale(800, 3),
        seed=TUNING_SEED,
    ),
)
