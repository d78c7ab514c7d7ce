"""The course: the assignments, their release to students, and their grading."""

import sys

# jsonschema would build a grammar of web addresses when it is imported, which takes each command
# and each notebook's process a second; no notebook is checked with it.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
