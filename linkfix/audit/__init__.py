"""Which references of a tree of pages are broken, offline, and why."""
