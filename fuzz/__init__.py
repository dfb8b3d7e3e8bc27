"""Fuzzing linkfix: documents, containers and settings made at random, and what has to hold for each (`README.md`)."""
