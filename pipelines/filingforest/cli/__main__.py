"""`python -m filingforest.cli`, for where the command is not on the PATH."""

import sys

from filingforest.cli import main

sys.exit(main())
