"""The derived tables of one run, computed by SQL over its staged files."""

from collections.abc import Mapping
from pathlib import Path

from ..sql import catalog
from ..sql.engine import Settings, create_rule_relations, open_files, open_unlocked
from ..sql.rollup import define, rollup
from .run_state import EVENT_TABLES
from .tables import TableWriter


def roll_up(files: Mapping[str, Path], folder: Path) -> list[tuple[str, Path, int, str]]:
    """Compute and write the derived tables: (table, file, rows, view version) of each that has rows."""
    settings = Settings(temp_directory=str(folder / "spill"))
    stored = catalog.tables()
    small = {
        name: {column.name for column in relation.columns}
        for name, relation in stored.items()
        if name not in EVENT_TABLES
    }
    written = []
    with open_unlocked(settings) as con:
        for relation in stored.values():
            con.execute(relation.statements[0])
        create_rule_relations(con, settings)
        define(con, settings.views)
        open_files(con, stored.values(), {name: [str(path)] for name, path in files.items()}, {}, small)
        for name, table in rollup(con, settings.views).items():
            writer = TableWriter(catalog.derived(settings.views)[name], folder / f"{name}.parquet")
            writer.write(table.num_rows, {c: table[c].combine_chunks() for c in table.column_names})
            writer.close()
            if writer.rows:
                written.append((name, writer.path, writer.rows, settings.views))
    return written
