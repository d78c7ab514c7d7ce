"""Chapters and assignments that need no torch, as notebooks that run in the reader's browser."""
