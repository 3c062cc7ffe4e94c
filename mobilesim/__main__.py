"""`python -m mobilesim`."""

import sys

from mobilesim.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
