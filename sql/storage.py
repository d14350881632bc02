"""Columns that Parquet files keep in another form than they are read in.

Self time repeats the duration of every event in which no other ran. The files keep the difference instead,
which is almost always 0, and saves about 3 bytes an event.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class StoredAs:
    """The column that a file holds, and the SQL that gives the relation's column back."""

    name: str
    expression: str


STORED_AS = {
    ("op_events", "self_ps"): StoredAs(
        "inner_ps", "CASE WHEN is_async THEN 0 ELSE duration_ps - inner_ps END"
    ),
    ("host_events", "self_ps"): StoredAs("inner_ps", "duration_ps - inner_ps"),
}
