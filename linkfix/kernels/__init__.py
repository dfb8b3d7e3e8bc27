"""Loops over bytes and tables of numbers: scanning, classifying, splicing, columns. Compiled (docs/compiled.md)."""
