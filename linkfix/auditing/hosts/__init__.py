"""The files that tell a host what a URL means: a module for each kind of file, and one model of rules."""
