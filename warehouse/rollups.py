"""The derived tables of one run, computed by SQL over its staged files."""

from collections.abc import Mapping
from pathlib import Path

from ..sql import catalog
from ..sql.engine import Settings, create_rule_relations, create_stored, open_unlocked
from ..sql.rollup import rollup
from .tables import TableWriter


def roll_up(files: Mapping[str, Path], folder: Path) -> list[tuple[str, Path, int, str]]:
    """Compute and write the derived tables: (table, file, rows, view version) of each that has rows."""
    settings = Settings(temp_directory=str(folder / "spill"))
    written = []
    with open_unlocked(settings) as con:
        for relation in catalog.tables().values():
            create_stored(con, relation, [str(files[relation.name])] if relation.name in files else [])
        create_rule_relations(con, settings)
        for name, table in rollup(con, settings.views).items():
            writer = TableWriter(catalog.derived(settings.views)[name], folder / f"{name}.parquet")
            writer.write(table.num_rows, {c: table[c].combine_chunks() for c in table.column_names})
            writer.close()
            if writer.rows:
                written.append((name, writer.path, writer.rows, settings.views))
    return written
