"""`profdb` and `python -m profdb`. Nothing is imported before Ctrl-C is answered as everywhere else."""

import sys


def main() -> None:
    """Run the command line and exit."""
    try:
        from .cli.main import main as command

        command()
    except KeyboardInterrupt:
        sys.stderr.write("profdb: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
