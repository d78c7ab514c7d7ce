"""Settings of nbgrader for these assignments; `python -m course` reads them too."""

# nbgrader runs this file with get_config defined.
c = get_config()  # type: ignore[name-defined] # noqa: F821

c.CourseDirectory.course_id = "deep-epsilon-greedy"

c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\nraise NotImplementedError()"}
c.ClearSolutions.text_stub = "YOUR ANSWER HERE"
