"""The study as a book: what its pages are made from, and how they are made (`make book`)."""
