"""Profile programs of known shapes on the CPU: `work_capture.py LOGDIR`. Prints XLA's own flops of each."""

import json
import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
from jax import lax

IMAGE = ("NHWC", "HWIO", "NHWC")


def matmul(a, b):
    return a @ b


def batch(a, b):
    return jnp.einsum("bij,bjk->bik", a, b)


def fused(a, b):
    return jnp.tanh(a @ b + 1)


def conv(image, kernel):
    strides, padding = (2, 1), ((1, 2), (0, 1))
    groups = {"rhs_dilation": (1, 2), "feature_group_count": 2, "dimension_numbers": IMAGE}
    return lax.conv_general_dilated(image, kernel, strides, padding, **groups)


def upsample(image, kernel):
    return lax.conv_transpose(image, kernel, (2, 2), "SAME", dimension_numbers=IMAGE)


def kernel_gradient(image, kernel):
    return jax.grad(lambda k: conv(image, k).sum())(kernel)


def looped(a, b):
    return lax.fori_loop(0, 3, lambda _, x: x @ b, a)


SHAPES = {
    matmul: ((3, 5), (5, 7)),
    batch: ((4, 8, 16), (4, 16, 32)),
    fused: ((64, 32), (32, 16)),
    conv: ((2, 9, 8, 4), (3, 2, 2, 6)),
    upsample: ((1, 5, 5, 3), (3, 3, 3, 2)),
    kernel_gradient: ((2, 9, 8, 4), (3, 2, 2, 6)),
    looped: ((16, 16), (16, 16)),
}


def main():
    options = jax.profiler.ProfileOptions()
    options.enable_hlo_proto = True
    options.python_tracer_level = 0
    programs = {}
    for function, shapes in SHAPES.items():
        arguments = [jnp.ones(shape) for shape in shapes]
        programs[function.__name__] = jax.jit(function).lower(*arguments).compile(), arguments
    jax.profiler.start_trace(sys.argv[1], profiler_options=options)
    for compiled, arguments in programs.values():
        compiled(*arguments).block_until_ready()
    jax.profiler.stop_trace()
    flops = {name: compiled.cost_analysis()["flops"] for name, (compiled, _) in programs.items()}
    print(json.dumps(flops))  # noqa: T201


main()
