"""The command line: arguments -> calls. No mathematics here, and no heavy import before it is needed."""
