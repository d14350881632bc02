"""A golden row for every rule of category_rules, and what real profiles contain."""

import csv

import pytest

from profdb.sql import catalog
from profdb.sql.rollup import rollup

CALL_WITH_OPS_IN_IT = {"opcode": "call"}
# In the order of the rules: facts that this rule is the first to match, category and family.
GOLDEN = [
    ({"opcode": "async-start", "wrapped_opcode": "all-to-all"}, "communication", "collective"),
    (
        {"opcode": "async-done", "wrapped_opcode": "dynamic-slice", "hlo_op": "slice-done.4"},
        "copy",
        "copy",
    ),
    ({"opcode": "fusion", "wrapped_opcode": "all-reduce"}, "communication", "collective"),
    ({"opcode": "fusion", "wrapped_opcode": "dot", "name": "ynn_fusion.7"}, "compute", "matmul"),
    ({"opcode": "fusion", "wrapped_opcode": "convolution"}, "compute", "convolution"),
    ({"opcode": "fusion", "wrapped_opcode": "reduce"}, "compute", "reduction"),
    ({"hlo_category": "sparsecorev0 infeed wait"}, "sync", "other"),
    ({"opcode": "send-done", "hlo_category": "host send-done"}, "copy", "copy"),
    ({"opcode": "collective-permute-start"}, "communication", "collective"),
    ({"opcode": "copy-done", "hlo_op": "copy-done.5"}, "copy", "copy"),
    ({"opcode": "conditional"}, "control", "other"),
    (CALL_WITH_OPS_IN_IT, "control", "other"),
    ({"opcode": "get-tuple-element"}, "control", "other"),
    ({"opcode": "ragged-dot"}, "compute", "matmul"),
    ({"opcode": "reduce"}, "compute", "reduction"),
    ({"opcode": "bitcast-convert"}, "compute", "convert"),
    ({"opcode": "exponential-minus-one"}, "compute", "elementwise"),
    ({"opcode": "scatter"}, "compute", "other"),
    ({"opcode": "custom-call", "custom_call_target": "nccl_gin_all_to_all"}, "communication", "collective"),
    ({"opcode": "custom-call", "custom_call_target": "__cudnn$fmhaSoftmax"}, "compute", "attention"),
    ({"opcode": "custom-call", "custom_call_target": "fused_cross_entropy"}, "compute", "loss"),
    ({"opcode": "custom-call", "custom_call_target": "__cudnn$convForward"}, "compute", "convolution"),
    ({"opcode": "custom-call", "custom_call_target": "__cublas$lt$matmul$f8"}, "compute", "matmul"),
    ({"opcode": "custom-call", "custom_call_target": "MoveToHost"}, "copy", "copy"),
    ({"opcode": "custom-call", "custom_call_target": "te_barrier_ffi"}, "sync", "other"),
    ({"opcode": "custom-call", "custom_call_target": "SPMDFullToShardShape"}, "control", "other"),
    ({"opcode": "custom-call", "custom_call_target": "te_layernorm_forward_ffi"}, "compute", "reduction"),
    (
        {"opcode": "custom-call", "custom_call_target": "tpu_custom_call", "uses_ici": True},
        "communication",
        "collective",
    ),
    ({"hlo_category": "all-reduce fusion"}, "communication", "collective"),
    ({"hlo_category": "data formatting", "name": "reshape.7"}, "copy", "copy"),
    ({"hlo_category": "while"}, "control", "other"),
    ({"hlo_category": "call", "name": "container"}, "control", "other"),
    ({"hlo_category": "tuple"}, "control", "other"),
    ({"hlo_category": "dot"}, "compute", "matmul"),
    ({"hlo_category": "select-and-scatter"}, "compute", "reduction"),
    ({"hlo_category": "convert"}, "compute", "convert"),
    ({"hlo_category": "non-fusion elementwise"}, "compute", "elementwise"),
    ({"hlo_category": "sort"}, "compute", "other"),
    (
        {"hlo_op": "all-to-all.2", "name": "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t"},
        "communication",
        "collective",
    ),
    (
        {"hlo_op": "te_fused_attn_forward_ffi.10", "name": "__amd_rocclr_fillBufferAligned.kd"},
        "compute",
        "attention",
    ),
    ({"hlo_op": "softmax_xent.3", "name": "kernel"}, "compute", "loss"),
    ({"hlo_op": "cudnn-conv.1", "name": "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64"}, "compute", "convolution"),
    ({"hlo_op": "gemm_fusion_dot.3", "name": "gemm_fusion_dot.kd"}, "compute", "matmul"),
    ({"hlo_op": "slice-start.12", "hlo_category": "async-start"}, "copy", "copy"),
    ({"hlo_op": "while.2"}, "control", "other"),
    ({"hlo_op": "call.9", "name": "container"}, "control", "other"),
    ({"hlo_op": "tuple.1"}, "control", "other"),
    ({"hlo_op": "reduce.4"}, "compute", "reduction"),
    ({"hlo_op": "convert.4"}, "compute", "convert"),
    ({"hlo_op": "add.11.clone"}, "compute", "elementwise"),
    (
        {"name": "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"},
        "communication",
        "collective",
    ),
    ({"name": "Event Sync"}, "sync", "other"),
    ({"name": "MemcpyD2H"}, "copy", "copy"),
    (
        {"name": "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64>>(P)"},
        "compute",
        "attention",
    ),
    ({"name": "void at::native::nll_loss_forward_reduce_cuda_kernel_2d<float>()"}, "compute", "loss"),
    (
        {"name": "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_execute_kernel_cudnn"},
        "compute",
        "convolution",
    ),
    ({"name": "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NNT"}, "compute", "matmul"),
    ({"name": "wrapped_dynamic_update_slice.2"}, "copy", "copy"),
    ({"name": "wrapped_convert.kd"}, "compute", "convert"),
    ({"name": "wrapped_reduce"}, "compute", "reduction"),
    ({"name": "wrapped_scatter"}, "compute", "other"),
    ({"opcode": "fusion", "wrapped_opcode": "tanh", "name": "wrapped_tanh"}, "compute", "elementwise"),
    (
        {"opcode": "fusion", "wrapped_opcode": "transpose", "scope": "jit(f)/conv_general_dilated"},
        "compute",
        "fusion",
    ),
    ({"hlo_category": "loop fusion", "scope": "jit(f)/mlp/dot_general:"}, "compute", "fusion"),
    ({"opcode": "convolution", "scope": "jit(f)/mlp/dot_general:"}, "compute", "matmul"),
    (
        {"opcode": "convolution", "scope": "jit(f)/conv_general_dilated[window=(1, 1)]"},
        "compute",
        "convolution",
    ),
    ({"opcode": "convolution"}, "compute", "convolution"),
    ({"hlo_category": "convolution base-dilated"}, "compute", "convolution"),
    ({"hlo_category": "convolution fusion", "name": "fusion.3"}, "compute", "matmul"),
    ({"opcode": "fusion"}, "compute", "fusion"),
    ({"hlo_category": "output fusion", "name": "copy_bitcast_fusion.8"}, "compute", "fusion"),
    ({"opcode": "async-start", "wrapped_opcode": "fusion"}, "compute", "fusion"),
    ({"opcode": "custom-call", "custom_call_target": "TopK"}, "compute", "custom_call"),
    ({"hlo_category": "custom-call"}, "compute", "custom_call"),
    ({"opcode": "async-start", "wrapped_opcode": "custom-call"}, "compute", "custom_call"),
    ({"hlo_op": "custom-call.1", "name": "mykernel"}, "compute", "custom_call"),
    ({"name": "input_transpose_fusion_1.kd"}, "compute", "fusion"),
    (
        {"name": "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>()"},
        "compute",
        "reduction",
    ),
    ({"name": "void convert_kernel<half, float>(int)"}, "compute", "convert"),
    ({"name": "void at::native::vectorized_elementwise_kernel<4, add>(int)"}, "compute", "elementwise"),
    ({"name": "(unknown:77)\nsecond line"}, "compute", "other"),
]


def classes(tiny, ops):
    """(category, family) of each op; those named container, and the first call, have ops in them."""
    for op_id, facts in enumerate(ops):
        tiny.op(op_id, **facts)
        if facts.get("name") == "container" or facts is CALL_WITH_OPS_IN_IT:
            tiny.event(op_id, 0, 1, is_leaf=False)
    rollup(tiny.con)
    return [row[1:] for row in tiny.rows("SELECT op_id, category, family FROM op_classes ORDER BY op_id")[1:]]


def rules():
    with (catalog.ROOT / "data" / "category_rules.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_rule_gives_its_golden_row(tiny):
    assert classes(tiny, [facts for facts, *_ in GOLDEN]) == [(c, f) for _, c, f in GOLDEN]


def test_every_rule_is_the_first_to_match_its_golden_row(tiny):
    tiny.con.execute("UPDATE category_rules SET family = priority")
    hits = [int(family) for _, family in classes(tiny, [facts for facts, *_ in GOLDEN])]
    assert hits == [int(rule["priority"]) for rule in rules()]


def test_rules_use_the_vocabulary():
    categories = {"compute", "communication", "copy", "sync", "control"}
    families = {"attention", "loss", "matmul", "convolution", "fusion", "reduction", "elementwise", "copy"}
    families |= {"convert", "collective", "custom_call", "other"}
    assert {rule["category"] for rule in rules()} <= categories
    assert {rule["family"] for rule in rules()} <= families
    assert {rule["nesting"] for rule in rules()} == {"any", "container"}
    priorities = [int(rule["priority"]) for rule in rules()]
    assert priorities == sorted(set(priorities))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)", ("communication", "collective")),
        ("void nvshmemi_transfer_rma<...>", ("communication", "collective")),
        ("void deep_ep::internode::dispatch<...>()", ("communication", "collective")),
        ("void vllm::cross_device_reduce_1stage<half, 8>()", ("communication", "collective")),
        ("Stream Wait Event", ("sync", "other")),
        ("Stream Sync", ("sync", "other")),
        ("Context Sync", ("sync", "other")),
        ("cuStreamSynchronize", ("sync", "other")),
        ("MemcpyH2D", ("copy", "copy")),
        ("Memcpy DtoH (Device -> Pinned)", ("copy", "copy")),
        ("Memset (Device)", ("copy", "copy")),
        ("hipMemcpyHtoDAsync", ("copy", "copy")),
        ("CopyDeviceToDevice", ("copy", "copy")),
        ("__amd_rocclr_copyBuffer.kd", ("copy", "copy")),
        ("attn_fwd", ("compute", "attention")),
        ("void flashinfer::BatchPrefillWithPagedKVCacheKernel<>()", ("compute", "attention")),
        ("fmha_cutlassF_f16_aligned_64x64_rf_sm80(P)", ("compute", "attention")),
        ("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16", ("compute", "attention")),
        ("void flash::FlashAttnFwdSm90<>()", ("compute", "attention")),
        ("_flash_attention_dkv_kernel.2", ("compute", "attention")),
        ("mha_backward", ("compute", "attention")),
        ("ragged_paged_attention", ("compute", "attention")),
        ("liger_cross_entropy_kernel", ("compute", "loss")),
        ("linear_softmax_cross_entropy_loss_fwd", ("compute", "loss")),
        ("fused_lm_loss", ("compute", "loss")),
        ("glossary_kernel", ("compute", "other")),
        (
            "void ck_tile::kentry<ck_tile::gfx950_t, 1, ck_tile::FmhaBwdDQDKDVKernel<>>()",
            ("compute", "attention"),
        ),
        ("splash_mha_fwd_residuals.3", ("compute", "attention")),
        ("RPA-bq_32-bkvp_64-p_64-", ("compute", "attention")),
        ("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64", ("compute", "matmul")),
        ("void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16>()", ("compute", "matmul")),
        ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_cublas", ("compute", "matmul")),
        ("Im3d2Col.kd", ("compute", "convolution")),
        ("miopenSp3AsmConv_v30_3_1_gfx94x_fp32_f2x3_stride1.kd", ("compute", "convolution")),
        ("cudnn_ampere_scudnn_128x64_relu_xregs_large_nn_v1", ("compute", "convolution")),
        ("triton_poi_fused_add_0", ("compute", "fusion")),
        ("loop_add_multiply_fusion", ("compute", "fusion")),
        ("loop_reduce_fusion_1.kd", ("compute", "fusion")),
        ("wrapped_slice", ("copy", "copy")),
        ("copy_subtract_fusion", ("compute", "fusion")),
        ("wrapped_tanh", ("compute", "elementwise")),
        ("dot.5", ("compute", "matmul")),
        ("void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<...>>()", ("compute", "elementwise")),
        ("fusion.12", ("compute", "fusion")),
        ("", ("compute", "other")),
    ],
)
def test_kernel_names_without_hlo(tiny, name, expected):
    assert classes(tiny, [{"name": name}]) == [expected]


def test_a_leaf_call_and_an_unknown_async_wrapper_are_compute(tiny):
    ops = [{"opcode": "call"}, {"opcode": "async-start", "hlo_op": "async-start.1"}]
    assert classes(tiny, ops) == [("compute", "other"), ("compute", "other")]


def test_tensorflow_ops_are_told_by_their_type_in_the_scope(tiny):
    ops = [
        {"name": "kernel", "scope": "model/dense/MatMul:MatMul"},
        {"name": "k", "scope": "m/c/Conv2D:Conv2D"},
    ]
    assert classes(tiny, ops) == [("compute", "matmul"), ("compute", "convolution")]
