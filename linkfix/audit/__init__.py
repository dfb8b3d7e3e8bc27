"""The offline audit of a tree of pages: its broken references, and the reasons."""
