"""The retrieval URLs of saved pages, and the original URLs of the links that savers rewrote."""
