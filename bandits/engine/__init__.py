"""The engine: computes runs, keeps them, and goes on where it stopped. It knows no figure."""
