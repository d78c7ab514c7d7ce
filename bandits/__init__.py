"""Deep ε-greedy on contextual bandits: the algorithms, experiments and theory of one paper.

Rawson & Balan, *Convergence Guarantees for Deep Epsilon Greedy Policy Learning*.
Nothing here imports torch: the theory and the linear policies work without loading it.
"""

__version__ = "0.1.0"
