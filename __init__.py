"""profdb: a warehouse for captured accelerator profiles."""

__version__ = "0.1.0"
