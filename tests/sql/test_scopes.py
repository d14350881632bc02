"""Phase and region of framework paths. The paths are JAX 0.10's own unless a comment says otherwise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profdb.sql.scopes import phase, region

LOOP = "jit(f)/transpose(jvp(stack))/while/body/closed_call"


@pytest.mark.parametrize(
    ("scope", "expected_phase", "expected_region"),
    [
        # One region over forward, backward and recompute.
        ("jit(step)/jvp(layer0)/block/mlp/dot_general", "forward", "layer0/block/mlp"),
        (
            "jit(step)/transpose(jvp(layer0))/block/jvp(layer0)/block/checkpoint/mlp/dot_general",
            "backward",
            "layer0/block/mlp",
        ),
        (
            "jit(step)/transpose(jvp(layer0))/block/jvp(layer0)/block/checkpoint/rematted_computation/mlp/tanh",
            "recompute",
            "layer0/block/mlp",
        ),
        (
            "jit(step)/transpose(jvp(layer0))/jvp(layer0)/checkpoint/block/mlp/dot_general",
            "backward",
            "layer0/block/mlp",
        ),
        ("jit(step)/transpose(jvp(loss))/mul", "backward", "loss"),
        ("jit(step)/sgd/sub", "other", "sgd"),
        # An outer scope around value_and_grad is repeated too.
        ("jit(o)/train/inner/jvp(a)/b/mlp/tanh", "forward", "train/inner/a/b/mlp"),
        (
            "jit(o)/train/inner/transpose(jvp(a))/b/train/inner/jvp(a)/b/checkpoint/mlp/mul",
            "backward",
            "train/inner/a/b/mlp",
        ),
        ("jit(o)/ckout/transpose(jvp(ckout))/jvp()/checkpoint/a/b/pad", "backward", "ckout/a/b"),
        # A rule of differentiation (custom_jvp) repeats the prefix without a checkpoint.
        ("jit(f)/transpose(jvp(layer))/jvp(layer)/mul", "backward", "layer"),
        ("jit(f)/transpose(jvp(a))/b/jvp(a)/b/c/mul", "backward", "a/b/c"),
        # vmap, alone and around the rest.
        ("jit(f)/jvp(layer)/vmap(mlp)/dot_general", "forward", "layer/mlp"),
        ("jit(f)/transpose(jvp(a))/b/vmap(jvp(a))/b/vmap()/checkpoint/mlp/mul", "backward", "a/b/mlp"),
        ("jit(f)/vmap(transpose(jvp(a)))/b/vmap(jvp(a))/b/checkpoint/mlp/mul", "backward", "a/b/mlp"),
        ("jit(f)/vmap(jvp(vmap(transpose(jvp(mlp)))))/mul", "backward", "mlp"),
        # Loops: the body repeats its own names only.
        ("jit(f)/jvp(stack)/while/body/closed_call/layer/mlp/tanh", "forward", "stack/layer/mlp"),
        (f"{LOOP}/layer/layer/checkpoint/mlp/mul", "backward", "stack/layer/mlp"),
        (f"{LOOP}/layer/layer/checkpoint/rematted_computation/mlp/tanh", "recompute", "stack/layer/mlp"),
        (f"{LOOP}/checkpoint/layer/jit(silu)/mul", "backward", "stack/layer"),
        (f"{LOOP}/layer/layer/checkpoint/b/checkpoint/mlp/mul", "backward", "stack/layer/b/mlp"),
        ("jit(f)/jvp(layer)/cond/branch_1_fun/mlp/tanh", "forward", "layer/mlp"),
        ("jit(f)/transpose(jvp(l))/shard_map/in/in/checkpoint/mlp/mul", "backward", "l/in/mlp"),
        ("jit(f)/transpose(jvp(jit(g)))/a/b/a/b/checkpoint/mlp/mul", "backward", "a/b/mlp"),
        # The user's own rep/rep stays.
        ("jit(f)/jvp(rep)/rep/mlp/tanh", "forward", "rep/rep/mlp"),
        ("jit(f)/jvp(rep)/rep/checkpoint/mlp/tanh", "forward", "rep/rep/mlp"),
        ("jit(f)/transpose(jvp(rep))/rep/mlp/mul", "backward", "rep/rep/mlp"),
        ("jit(f)/transpose(jvp(rep))/rep/jvp(rep)/rep/checkpoint/mlp/mul", "backward", "rep/rep/mlp"),
        (
            f"{LOOP}/rep/rep/rep/rep/checkpoint/in/while/body/closed_call/add_any",
            "backward",
            "stack/rep/rep/in",
        ),
        (f"{LOOP}/a/a/checkpoint/rep/rep/checkpoint/mlp/mul", "backward", "stack/a/rep/rep/mlp"),
        # Plain checkpoint in the forward pass is no recompute; the older remat( is one when transposed.
        ("jit(f)/jvp(a)/checkpoint/mlp/mul", "forward", "a/mlp"),
        ("jit(f)/jit(main)/jvp(remat(mlp))/mul", "forward", "mlp"),
        ("jit(f)/jit(main)/transpose(jvp(remat(mlp)))/mul", "recompute", "mlp"),
        # Nothing of the user's.
        ("jit(f)/jit(main)/op:", "other", ""),
        ("jit(f)/jvp()/slice", "forward", ""),
        ("jit(top)/transpose(jvp(jvp()))/checkpoint/mlp/mul", "backward", "mlp"),
        ("jit(f)", "other", ""),
        ("reduce_sum", "other", ""),
        # Parameters of a primitive (jax before 0.5) and a TensorFlow path with its type.
        ("jit(f)/jit(main)/mlp/reduce_sum[axes=(0/1,)]", "other", "mlp"),
        ("model/dense/MatMul:MatMul", "other", "model/dense"),
        ("jit(f)/scope:with_colon/mul", "other", "scope:with_colon"),
        # A user's scope that looks like a call is kept.
        ("jit(f)/jvp(attn)/heads(4)/mul", "forward", "attn/heads(4)"),
        ("jit(f)/jvp(a)/odd(/mul", "forward", "a/odd("),
    ],
)
def test_phase_and_region(scope: str, expected_phase: str, expected_region: str) -> None:
    assert (phase(scope), region(scope)) == (expected_phase, expected_region)


@pytest.mark.parametrize(
    ("scope", "expected_phase", "expected_region"),
    [
        ("jit(step)/(transpose(jvp(a))/mul:jvp(loss)/reduce_sum)", "mixed", ""),
        ("jit(step)/(transpose(jvp(a))/b/mul:transpose(jvp(a))/c/mul:", "backward", "a"),
        ("jit(step)/jvp(a)/(b/c/mul:b/d/mul:b/c/add)", "forward", "a/b"),
        ("jit(step)/(sgd/mul:sgd/sub):", "other", "sgd"),
        ("(jit(f)/a/mul:jit(f)/a/add)", "other", "a"),
        ("jit(f)/(jvp(ab)/mul:jvp(ac)/mul", "forward", ""),
    ],
)
def test_merged_paths(scope: str, expected_phase: str, expected_region: str) -> None:
    assert (phase(scope), region(scope)) == (expected_phase, expected_region)


@pytest.mark.parametrize("scope", ["", " ", ":"])
def test_no_path_is_no_region(scope: str) -> None:
    assert (phase(scope), region(scope)) == ("other", None)


@given(st.text(alphabet="ab/():[]{} jvptransposecheckpoint", max_size=40))
def test_any_text_has_an_answer(scope: str) -> None:
    assert phase(scope) in {"forward", "backward", "recompute", "mixed", "other"}
    answer = region(scope)
    assert answer is None or isinstance(answer, str)


def test_a_long_path_is_read_in_linear_time() -> None:
    scope = "jit(f)/" + "a/" * 50_000 + "mul"
    assert region(scope) == "/".join("a" * 50_000)


def test_deep_nesting_is_no_recursion() -> None:
    assert region("jvp(" * 3000 + "a" + ")" * 3000 + "/mul") == "a"
