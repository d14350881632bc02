"""Small whole profiles of each platform, for mutation: among them is every kind of plane, line and stat."""

from xspace import (
    compressed,
    environment,
    event,
    instruction,
    line,
    marker,
    plane,
    program,
    ref,
    space,
    uint64,
)

START_NS = 1_780_000_000_000_000_000


def tpu() -> bytes:
    """Two steps by host markers on a TensorCore with modules, nested and async ops, and a SparseCore."""
    long_text = "%{0} = f32[8,128]{{1,0:T(8,128)}} {1}(f32[8,128]{{1,0}} %{2}), channel_id=1"
    constants = {"hlo_category": "fusion", "flops": 1000, "bytes_accessed": 64, "program_id": uint64(1 << 63)}
    runs = [
        event(f"jit_f({1 << 63})", 1000 * i, 900, {"run_id": uint64(i), "replica_id": 0}) for i in range(2)
    ]
    starts = [1000 * i for i in range(2)]
    ops = [
        one
        for at in starts
        for one in (
            event("%while.1 = (s32[]) while((s32[]) %tuple.1)", at, 800, {"device_offset_ps": at + 5}),
            event(long_text.format("fusion.1", "fusion", "p"), at + 10, 300, constants=constants),
            event(long_text.format("copy-start.1", "copy-start", "p"), at + 310, 10),
            event(long_text.format("copy-done.1", "copy-done", "copy-start.1"), at + 700, 50, {"flops": 7}),
        )
    ]
    async_ops = [event("copy-start.1", at + 310, 440, {"hlo_op": ref("copy-start.1")}) for at in starts]
    core = plane(
        "/device:TPU:0",
        line("XLA Modules", *runs, id=2),
        line("XLA Ops", *ops, id=3),
        line("Async XLA Ops", *async_ops, id=4),
        line("XLA TraceMe", event("barrier-cores", 5, 5)),
        line("_counters_", event("MXU", 7, 0, {"% util": 0.5}), id=(1 << 63) - 1),
        stats={
            "device_type_string": "TPU v6 Lite",
            "peak_teraflops_per_second": 918.0,
            "core_details": b"\1",
        },
    )
    sparse = plane("/device:TPU:0 SparseCore 1", line("Sparse Core Ops", event("gather.1", 20, 30)))
    launches = [event("Execute", 1000 * i + 1, 5, {"run_id": uint64(i), "_p": 3}) for i in range(2)]
    host = plane(
        "/host:CPU", line("main/77", *(marker("train", i, 1000 * i, 10) for i in range(2)), *launches)
    )
    return space(core, sparse, host, environment(START_NS, START_NS + 9), hostnames=("worker-0",))


def cpu() -> bytes:
    """Two annotated steps on two devices of a CPU, with the HLO of their program."""
    launches = [event("Execute (jit_step)", 100 * i + 5, 20, {"run_id": -7 - i}) for i in range(2)]
    compile_event = event("backend_compile", 6, 10)
    python = line(
        "python", *(marker("train", i, 100 * i, 90) for i in range(2)), compile_event, *launches, id=-5
    )
    program_of = {"hlo_module": ref("jit_step"), "program_id": 9}
    ops = [
        event(
            name, 100 * step + at, 30, {"hlo_op": ref(name), **program_of, **launch, "device_ordinal": device}
        )
        for step, launch in enumerate(({"run_id": -7}, {"run_id": -8}))
        for device in range(2)
        for at, name in ((30 + 2 * device, "dot.3"), (70, "all-reduce.1"))
    ]
    thread = line("tf_XLAEigen/-42", *ops, event("end: dot.3", 60, 1), event("Wait", 20, 70))
    counted = line("agg", event("total", duration_ps=500, occurrences=40), timestamp_ns=3)
    path = "jit(step)/transpose(jvp(layer0))/jvp(layer0)/checkpoint/mlp/dot_general"
    hlo = (instruction("dot.3", "dot", path, ("model.py", 7)), instruction("all-reduce.1", "all-reduce"))
    metadata = plane("/host:metadata", unused=(program("jit_step", 9, *hlo),), stats={"jax_version": "0.10"})
    return space(plane("/host:CPU", python, thread, counted), metadata, environment(START_NS))


def gpu() -> bytes:
    """Three kernels with correlation ids, their launches, a Steps line on a second device, and a warning."""
    names = {
        "tf_op": ref("jit(f)/jvp(a)/mul"),
        "hlo_op": ref("fusion"),
        "hlo_module": ref("jit_f"),
        "program_id": 3,
    }
    details = compressed("regs:12 block:128,1,1")
    kernels = [
        event("loop_fusion", 50 * i, 40, {**names, "correlation_id": uint64(i), "kernel_details": details})
        for i in range(3)
    ]
    at = {"timestamp_ns": START_NS}
    steps = line("Steps", event("0", 0, 60, {"step_name": "0", "group_id": 0}), event("1", 60, 60), **at)
    copy = event("MemcpyH2D", 5, 90, {"memcpy_details": "size:112 async:0"})
    launches = [event("cuLaunchKernel", 20 * i, 5, {"correlation_id": uint64(i), **names}) for i in range(3)]
    host = plane(
        "/host:CPU",
        line("Host Threads/9", *launches, **at),
        line("python", marker("t", 4, 0, 70), id=9, **at),
    )
    spare = plane("/device:GPU:2", stats={"device_vendor": "AMD", "memory_size": uint64(1 << 37)})
    streams = (line("Stream #1(Compute)", *kernels, **at), line("Stream #2(MemcpyH2D)", copy, **at))
    derived = line("TensorFlow Ops", event("x", 0, 1), **at)
    return space(
        plane("/device:GPU:0", streams[0]),
        plane("/device:GPU:1", steps, streams[1], derived),
        spare,
        host,
        warnings=("Detected GPU events dropped on HOST: 3",),
        errors=("none",),
    )


def synthetic() -> list[bytes]:
    """All of them."""
    return [tpu(), cpu(), gpu()]
