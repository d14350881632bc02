"""Errors that a user can cause. The library raises them, the command line prints them.

ProfdbError            exit code 2: wrong usage
├── InputError         exit code 3: bad or missing input
│   └── StatementError exit code 3: SQL that is refused or fails
└── CannotTellError    exit code 4: not enough data to answer
"""


class ProfdbError(Exception):
    """One line that names the thing and the value; `hint` is the exact command or flag that mends it."""

    exit_code = 2

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InputError(ProfdbError):
    """A file, run or statement that is missing or cannot be read."""

    exit_code = 3


class StatementError(InputError):
    """SQL that is refused or fails. The message is DuckDB's own text, which may have several lines."""


class CannotTellError(ProfdbError):
    """The data at hand does not answer the question."""

    exit_code = 4
