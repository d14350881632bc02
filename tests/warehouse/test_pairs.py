"""Pairs: a done finds its start by operand, else in order; an async row finds the pair that it spans."""

import numpy as np

from profdb.warehouse.opnames import Op
from profdb.warehouse.pairs import PairBook


def op(name: str, opcode: str, operands: tuple[str, ...] = (), program: int = 1) -> Op:
    row = {"program_id": program, "hlo_op": name, "name": name, "opcode": opcode, "hlo_category": None}
    return Op({**row, "canonical_name": name, "operands": list(operands)})


START = op("all-gather-start.3", "all-gather-start")
DONE = op("all-gather-done.9", "all-gather-done", ("all-gather-start.3",))
FUSION = op("fusion", "fusion")


def pair(ops: list[Op], *executions: tuple[int, int]) -> list[int]:
    """Pair ids of executions (op, start)."""
    rows = np.array(executions, np.int64)
    return PairBook().match(rows[:, 0], ops, rows[:, 1]).tolist()


def test_a_done_names_its_start_by_operand_not_by_suffix() -> None:
    assert pair([START, FUSION, DONE], (0, 0), (1, 1), (2, 9)) == [0, -1, 0]


def test_each_execution_is_a_pair_of_its_own() -> None:
    assert pair([START, DONE], (0, 0), (1, 9), (0, 20), (1, 29)) == [0, 0, 1, 1]


def test_a_done_whose_start_lies_before_the_capture_stays_alone() -> None:
    assert pair([START, DONE], (1, 5), (0, 20), (1, 29)) == [-1, 0, 0]


def test_a_start_whose_done_lies_behind_the_capture_is_a_pair_without_end() -> None:
    assert pair([START, DONE], (0, 0), (1, 9), (0, 20)) == [0, 0, 1]


def test_a_lost_done_does_not_shift_the_pairs_after_it() -> None:
    assert pair([START, DONE], (0, 0), (0, 20), (1, 29), (0, 40), (1, 49)) == [0, 1, 1, 2, 2]


def test_a_pair_may_begin_and_end_in_different_parts_of_the_line() -> None:
    book = PairBook()
    one = np.zeros(1, np.int64)
    assert book.match(one, [START], one).tolist() == [0]
    assert book.match(one, [DONE], one + 9).tolist() == [0]


def test_without_operands_the_oldest_open_start_of_the_program_and_kind_is_meant() -> None:
    ops = [
        op("copy-start.7", "copy-start"),
        op("copy-done.1", "copy-done"),
        op("copy-start", "copy-start", program=2),
    ]
    assert pair(ops, (2, 0), (0, 1), (1, 4)) == [0, 1, 1]


def test_kinds_do_not_mix() -> None:
    assert pair([START, op("copy-done.1", "copy-done")], (0, 0), (1, 9)) == [0, -1]


def test_an_async_row_joins_the_nearest_pair_of_its_op() -> None:
    book = PairBook()
    rows = np.array([(0, 0), (1, 9), (0, 20), (1, 29)], np.int64)
    book.match(rows[:, 0], [START, DONE], rows[:, 1])
    for hlo_op in ("all-gather-start.3", "all-gather-done.9"):
        spans = np.array([(0, 1), (0, 20)], np.int64)
        assert book.match_async(spans[:, 0], [op(hlo_op, "")], spans[:, 1]).tolist() == [0, 1]
    assert book.match_async(np.zeros(1, np.int64), [FUSION], np.zeros(1, np.int64)).tolist() == [-1]
