"""Where a saved page came from, and what the program that saved it did to its links."""
