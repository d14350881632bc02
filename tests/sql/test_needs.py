"""What a query needs is told from its text."""

from profdb.sql import catalog
from profdb.sql.needs import of_query


def test_a_query_over_a_table_needs_that_table():
    needs = of_query("SELECT run FROM Runs r -- where the steps are not asked")
    assert needs.relations == {"runs", "steps"}  # a word too many costs a little, one too few would be wrong
    assert needs.repeated == {}


def test_a_view_needs_what_it_reads_and_what_that_reads():
    needs = of_query("SELECT * FROM hot_ops WHERE run = 'r'")
    assert needs.relations == {"hot_ops", "_op_totals", "op_stats", "op_classes", "ops"}
    assert needs.repeated == {}  # each is read once


def test_relations_read_several_times_come_with_the_columns_that_their_readers_name():
    needs = of_query("SELECT * FROM step_classes CROSS JOIN step_time")
    assert needs.relations == {"step_classes", "counted_steps", "step_time", "steps", "params", "thresholds"}
    assert needs.repeated.keys() == {"steps"}
    assert {"run", "host", "device", "step_num", "duration_ps"} <= needs.repeated["steps"]
    assert "marker_start_ps" not in needs.repeated["steps"]


def test_a_relation_that_the_query_names_itself_keeps_all_of_its_columns():
    assert of_query('SELECT * FROM step_classes, step_time, "steps"').repeated == {}


def test_show_tables_needs_everything():
    assert of_query("SHOW TABLES").relations == catalog.relations().keys()
