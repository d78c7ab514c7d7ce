"""The engine: computes runs, stores them, and resumes where it stopped. It knows no figure."""
