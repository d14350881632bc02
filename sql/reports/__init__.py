"""Reports: queries plus templates, pure functions from rows to text, for the command line and the gateway."""
