"""From finished runs to figures and verdicts: each module collects, draws and reads one figure."""
