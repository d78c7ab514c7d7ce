"""The course: the assignments, their release to students, and their grading."""
