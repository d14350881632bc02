"""The view roofline over tiny runs, and the peaks of data sheets; times are picoseconds."""

import csv

import pytest

from profdb.sql import catalog

PEAKS = {"peak_flops_per_s": 1000 * 10**12, "peak_hbm_bytes_per_s": 10 * 10**12}  # 1000 flops, 10 bytes a ps
NO_PEAKS = "the peaks of its devices are unknown"


def device(tiny, name="GPU:0", **facts):
    """A device that the profile describes."""
    tiny.insert("devices", **{"host": "h", "device": name, "core_kind": "gpu", "op_count": 1} | facts)


def ops(tiny, *facts, **where):
    """One execution of 10 ps of each op."""
    for op_id, fact in enumerate(facts, start=1):
        tiny.op(op_id, **fact)
        tiny.event(op_id, op_id * 10, op_id * 10 + 10, **{"device": "GPU:0"} | where)
    tiny.devices.clear()  # each test describes its own
    tiny.window(0, 1000)
    tiny.rolled_up()


def test_rates_against_the_peaks(tiny):
    device(tiny, **PEAKS)
    shaped = {"flops_source": "hlo_shapes", "bytes_source": "hlo_shapes"}
    told = {"flops_source": "producer", "bytes_source": "producer"}
    ops(
        tiny,
        {
            "opcode": "dot",
            "flops": 8000,
            "bytes_accessed": 40,
            **shaped,
        },  # 200 flops a byte, the ridge is 100
        {"opcode": "add", "flops": 80, "bytes_accessed": 80, **told},
        {"opcode": "copy", "flops": 0, "bytes_accessed": 50, **told},
        {"opcode": "dot", "flops": 1000, "bytes_accessed": 10, **told},  # on the ridge
    )
    columns = "op_id, flops_per_s, flops_source, bytes_per_s, intensity, peak_flops_share, peak_bytes_share"
    assert tiny.rows(f"SELECT {columns}, bound_by, reason FROM roofline ORDER BY op_id") == [
        (*columns.split(", "), "bound_by", "reason"),
        (1, 8e14, "hlo_shapes", 4e12, 200, 0.8, 0.4, "compute", None),
        (2, 8e12, "producer", 8e12, 1, 0.008, 0.8, "memory", None),
        (3, 0, "producer", 5e12, 0, 0, 0.5, "memory", None),
        (4, 1e14, "producer", 1e12, 100, 0.1, 0.1, "compute", None),
    ]
    told_by = "peak_flops_per_s, peak_flops_source, peak_hbm_bytes_per_s, peak_bytes_source"
    assert tiny.rows(f"SELECT DISTINCT {told_by} FROM roofline")[1:] == [
        (10**15, "producer", 10**13, "producer")
    ]


def test_why_nothing_limits_an_op(tiny):
    device(tiny, **PEAKS)
    known = {"flops": 10, "bytes_accessed": 10}
    ops(
        tiny,
        {"opcode": "dot"},
        {"opcode": "dot", "bytes_accessed": 10},
        {"opcode": "dot", "flops": 10},
        {"opcode": "dot", "flops": 0, "bytes_accessed": 0},
        {"opcode": "all-reduce", **known},
        {"opcode": "while", **known},
        {"opcode": "copy-done", **known},
    )
    assert tiny.rows("SELECT op_id, bound_by, reason FROM roofline ORDER BY op_id") == [
        ("op_id", "bound_by", "reason"),
        (1, None, "flops and bytes are unknown"),
        (2, None, "flops are unknown"),
        (3, None, "bytes are unknown"),
        (4, None, "it computes and moves nothing"),
        (5, None, "it waits for other devices or the host"),
        (6, None, "its time is that of the ops inside it"),
        (7, None, "half of an asynchronous op: its time is not that of the work"),
    ]
    rates = "SELECT op_id, flops_per_s, bytes_per_s FROM roofline WHERE op_id IN (5, 6, 7) ORDER BY op_id"
    assert tiny.rows(rates)[1:] == [(5, 1e12, 1e12), (6, None, None), (7, None, None)]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # a chip that no data sheet here tells of
        ({"device_kind": "AMD"}, {"device_kind": "AMD"}, (None, None, None, None, NO_PEAKS)),
        # a GPU tells its memory's bandwidth alone
        (
            {"device_kind": "NVIDIA H100 80GB HBM3", "peak_hbm_bytes_per_s": 3 * 10**12},
            {"device_kind": "NVIDIA H100 80GB HBM3", "peak_hbm_bytes_per_s": 3 * 10**12},
            (
                989_500_000_000_000,
                "NVIDIA H100 data sheet, half of the figure with sparsity",
                3 * 10**12,
                "producer",
                None,
            ),
        ),
        (
            PEAKS,
            PEAKS | {"peak_flops_per_s": 1},
            (None, None, 10**13, "producer", "its devices have different peaks"),
        ),
        (PEAKS, {"device_kind": "AMD"}, (10**15, "producer", 10**13, "producer", NO_PEAKS)),
        # a data sheet is of the chip
        ({"device_kind": "TPU v6e", "core_kind": "sparsecore"}, {}, (None, None, None, None, NO_PEAKS)),
    ],
)
def test_peaks_over_the_devices_of_an_op(tiny, first, second, expected):
    device(tiny, "GPU:0", **first)
    device(tiny, "GPU:1", **second)
    tiny.op(1, opcode="dot", flops=100, bytes_accessed=100)
    for name in ("GPU:0", "GPU:1"):
        tiny.event(1, 0, 10, device=name)
    tiny.devices.clear()
    tiny.window(0, 10)
    tiny.rolled_up()
    columns = "peak_flops_per_s, peak_flops_source, peak_hbm_bytes_per_s, peak_bytes_source, reason"
    assert tiny.rows(f"SELECT {columns} FROM roofline")[1:] == [expected]


def test_an_op_that_took_no_time_has_no_rate(tiny):
    device(tiny, **PEAKS)
    tiny.op(1, opcode="dot", flops=10**12, bytes_accessed=1)
    tiny.event(1, 5, 5, device="GPU:0")
    tiny.devices.clear()
    tiny.window(0, 10)
    tiny.rolled_up()
    columns = "flops_per_s, bytes_per_s, intensity, peak_flops_share, bound_by"
    assert tiny.rows(f"SELECT {columns} FROM roofline")[1:] == [(None, None, 1e12, None, "compute")]


KINDS = {
    "TPU v4": 275,
    "TPU v5 lite": 197,
    "TPU v5e": 197,
    "TPU v5": 459,
    "TPU v5p": 459,
    "TPU v6 Lite": 918,
    "TPU v6e": 918,
    "NVIDIA A100-SXM4-40GB": 312,
    "A100-SXM4-40GB": 312,
    "NVIDIA A100-PCIE-40GB": 312,
    "NVIDIA A100-SXM4-80GB": 312,
    "NVIDIA A100 80GB PCIe": 312,
    "NVIDIA H100 80GB HBM3": 989.5,
    "NVIDIA H100 PCIe": 756.5,
    "NVIDIA H100 NVL": 835.5,
    "NVIDIA H200": 989.5,
    "NVIDIA H200 NVL": 835.5,
    "NVIDIA B200": 2250,
    "AMD Instinct MI300X": 1307.4,
}
UNKNOWN = (
    "cpu",
    "AMD",
    "TPU v4 lite",
    "TPU v7",
    "NVIDIA GeForce GTX 1080 Ti",
    "NVIDIA H100 80GB HBM3 MIG 1g.10gb",
)


def test_a_data_sheet_is_found_by_the_names_that_profiles_have(tiny):
    for kind in (*KINDS, *UNKNOWN):
        device(tiny, kind, device_kind=kind)
    tiny.rolled_up()
    rows = tiny.rows("SELECT device, peak_flops_per_s FROM _device_peaks")[1:]
    assert len(rows) == len(KINDS) + len(UNKNOWN)  # no kind is there twice
    assert dict(rows) == {kind: round(peak * 10**12) for kind, peak in KINDS.items()} | dict.fromkeys(UNKNOWN)
    with (catalog.ROOT / "data" / "device_peaks.csv").open(newline="") as file:
        sheets = list(csv.DictReader(file))
    used = tiny.rows("SELECT DISTINCT peak_flops_source, peak_hbm_bytes_per_s FROM _device_peaks")[1:]
    assert {(s["source"], int(s["peak_hbm_bytes_per_s"])) for s in sheets} == {u for u in used if u[0]}


def test_a_real_tpu_adds_at_the_speed_of_its_memory(ingested):
    run = ingested("tpu_v6e_4chip_inference")
    sql = """
        SELECT bound_by, peak_flops_source, round(min(peak_bytes_share), 2), round(max(peak_bytes_share), 2)
        FROM roofline WHERE run = $run AND family = 'fusion' GROUP BY ALL
    """
    assert run.rows(sql) == [("memory", "producer", 0.8, 0.88)]


def test_the_flops_of_a_real_convolution_are_those_of_its_multiplication(ingested):
    # its im2col has none; another im2col ran once and names no instruction
    run = ingested("gpu_mi300x_jax08_conv")
    sql = """
        SELECT min(CASE WHEN flops_per_s > 0 THEN name END)[:5], count(*) FILTER (WHERE flops_per_s > 0),
          count(*) FILTER (WHERE flops_per_s = 0),
          sum(count) FILTER (WHERE flops_per_s IS NULL)::BIGINT,
          sum(self_ps) FILTER (WHERE flops_per_s IS NULL)::BIGINT = (
            SELECT sum(unknown_flops_self_ps) FROM step_breakdown WHERE run = $run AND step_num IS NULL
          )
        FROM roofline WHERE run = $run AND family = 'convolution'
    """
    assert run.rows(sql) == [("Cijk_", 1, 1, 1, True)]
