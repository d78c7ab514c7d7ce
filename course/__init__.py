"""The course: three assignments, their release to students, and their grading."""
