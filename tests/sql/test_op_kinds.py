"""The view op_kinds over tiny runs, and a golden row for every rule of kind_rules; times are picoseconds."""

import csv

from profdb.sql import catalog

CUSTOM = {"opcode": "custom-call"}
# In the order of the rules: facts that this rule is the first to match, and the kind.
GOLDEN = [
    (CUSTOM | {"custom_call_target": "splash_mha"}, "splash"),
    (CUSTOM | {"custom_call_target": "tpu_custom_call", "hlo_op": "splash_mha_fwd_residuals.3"}, "splash"),
    ({"name": "splash_mqa_dkv"}, "splash"),
    (CUSTOM | {"custom_call_target": "ragged_paged_attention"}, "paged"),
    ({"hlo_op": "RPA-bq_32-bkvp_64", "name": "k"}, "paged"),
    ({"name": "void flashinfer::BatchDecodeWithPagedKVCacheKernel<>()"}, "paged"),
    (CUSTOM | {"custom_call_target": "ring_attention"}, "ring"),
    ({"hlo_op": "ring_attn.2", "name": "ring_attention_fwd"}, "ring"),
    ({"name": "ring_attention_bwd"}, "ring"),
    (CUSTOM | {"custom_call_target": "flash_attention"}, "flash"),
    ({"hlo_op": "_flash_attention_dq_kernel.1", "name": "k"}, "flash"),
    ({"name": "void pytorch_flash::flash_fwd_kernel<>(P)"}, "flash"),
    (CUSTOM | {"custom_call_target": "__cudnn$fmhaSoftmax"}, "fused"),
    ({"hlo_op": "te_fused_attn_forward_ffi.10", "name": "__amd_rocclr_fillBufferAligned.kd"}, "fused"),
    ({"name": "void ck_tile::kentry<ck_tile::FmhaBwdDQDKDVKernel<>>()"}, "fused"),
    (CUSTOM | {"custom_call_target": "fused_cross_entropy"}, "cross_entropy"),
    ({"hlo_op": "softmax_xent.3", "name": "k"}, "cross_entropy"),
    ({"name": "liger_cross_entropy_kernel"}, "cross_entropy"),
    ({"opcode": "fusion", "hlo_category": "output fusion", "name": "fusion.3"}, "output fusion"),
    ({"opcode": "fusion", "wrapped_opcode": "add", "name": "triton_poi_fused_add_0"}, "triton fusion"),
    ({"opcode": "fusion", "wrapped_opcode": "add", "name": "loop_add_multiply_fusion.2"}, "loop fusion"),
    ({"name": "input_reduce_fusion_1.kd", "hlo_op": "input_reduce_fusion.1"}, "input fusion"),
    ({"opcode": "fusion", "wrapped_opcode": "tanh", "name": "add_tanh_fusion"}, "tanh"),
]


def kinds(tiny, ops):
    for op_id, facts in enumerate(ops):
        tiny.op(op_id, **facts)
        tiny.event(op_id, op_id, op_id + 1)
    tiny.window(0, len(ops))
    tiny.rolled_up()
    return [row[0] for row in tiny.rows("SELECT kind FROM _op_kinds ORDER BY op_id")[1:]]


def test_every_rule_gives_its_golden_row(tiny):
    assert kinds(tiny, [facts for facts, _ in GOLDEN]) == [kind for _, kind in GOLDEN]


def test_every_rule_is_the_first_to_match_its_golden_row(tiny):
    tiny.con.execute("UPDATE kind_rules SET kind = priority")
    with (catalog.ROOT / "data" / "kind_rules.csv").open(newline="") as file:
        priorities = [rule["priority"] for rule in csv.DictReader(file)]
    assert kinds(tiny, [facts for facts, _ in GOLDEN]) == priorities


def test_without_a_rule_the_kind_is_what_hlo_tells(tiny):
    ops = [
        {"name": "ncclDevKernel_AllGather_RING_LL"},
        CUSTOM | {"custom_call_target": "TopK"},
        {"opcode": "async-start", "wrapped_opcode": "slice"},
        {"opcode": "dot"},
        {"hlo_category": "data formatting", "name": "reshape.7"},
        {"name": "nvjet_tst.3", "canonical_name": "nvjet_tst"},
    ]
    expected = ["all-gather", "TopK", "slice", "dot", "data formatting", "nvjet_tst"]
    assert kinds(tiny, ops) == expected


def test_kinds_share_the_self_time_of_the_run(tiny):
    tiny.op(1, opcode="fusion", hlo_category="loop fusion", name="fusion.1")
    tiny.op(2, opcode="fusion", hlo_category="loop fusion", name="fusion.2")
    tiny.op(3, opcode="fusion", hlo_category="custom fusion", name="fusion.3")
    tiny.window(0, 10)
    for op_id, device in ((1, "TPU:0"), (2, "TPU:0"), (1, "TPU:1"), (3, "TPU:1")):
        tiny.event(op_id, op_id, op_id + 2, device=device)
    tiny.rolled_up()
    assert tiny.rows("SELECT * EXCLUDE (run) FROM op_kinds ORDER BY self_ps DESC") == [
        ("family", "kind", "op_count", "count", "total_ps", "self_ps", "self_share"),
        ("fusion", "loop fusion", 2, 3, 6, 6, 0.75),
        ("fusion", "custom fusion", 1, 1, 2, 2, 0.25),
    ]
