"""Files on disk: folders, media types, atomic replacement."""
