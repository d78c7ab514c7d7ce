"""`python -m bandits.theory.claims [--markdown]`: the ledger, without the rest of the package."""

import sys

from bandits.theory.claims import main

sys.exit(main(markdown="--markdown" in sys.argv[1:]))
