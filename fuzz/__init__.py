"""Fuzzing linkfix: random documents, containers and settings, and the invariants of each (`README.md`)."""
