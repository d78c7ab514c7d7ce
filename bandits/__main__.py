"""`python -m bandits` is the command `bandits`."""

import sys

from bandits.cli import main

if __name__ == "__main__":
    sys.exit(main())
