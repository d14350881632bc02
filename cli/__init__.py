"""profdb COMMAND: parse, call, print."""
