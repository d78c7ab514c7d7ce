"""Settings of nbgrader for these assignments; `python -m course` reads them too."""

# nbgrader runs this file with get_config defined.
c = get_config()  # type: ignore[name-defined] # noqa: F821

c.CourseDirectory.course_id = "deep-epsilon-greedy"

# Seconds that one cell may run when a submission is graded. The slowest cell of a right solution
# takes a few seconds.
c.Execute.timeout = 60
c.Execute.startup_timeout = 120

# A cell that is stopped is an error of that cell; the cells after it still run.
c.Execute.interrupt_on_timeout = True

# Kernels tell nobody but errors.
c.Execute.extra_arguments = ["--log-level=ERROR"]

c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\nraise NotImplementedError()"}
c.ClearSolutions.text_stub = "YOUR ANSWER HERE"
