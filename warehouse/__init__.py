"""Profile files in, tables out: decode, store, open."""
