"""The view memory_peaks over tiny runs; times are picoseconds."""

COLUMNS = (
    "allocator, device, allocation_count, deallocation_count, peak_bytes, peak_at_ps, reserved_bytes, "
    "available_bytes, peak_share, fragmentation_ratio, process_peak_bytes"
)


def allocation(run, at_ps, *, kind="MemoryAllocation", **stats):
    args = {name: str(value) for name, value in stats.items()}
    run.insert("host_events", host="h", thread="python", name=kind, start_ps=at_ps, args=args)


def state(allocated, reserved=0, available=0, **more):
    return {"bytes_allocated": allocated, "bytes_reserved": reserved, "bytes_available": available} | more


def rows(run):
    run.window(0, 10)
    run.rolled_up()
    return run.rows(f"SELECT {COLUMNS} FROM memory_peaks")


def test_the_peak_is_the_first_event_with_most_memory_in_use(tiny):
    gpu = {"allocator_name": "GPU_3_bfc", "peak_bytes_in_use": 900}
    allocation(tiny, 1, **state(300, 0, 700, fragmentation=0.5, **gpu))
    allocation(tiny, 2, **state(600, 0, 400, fragmentation=0.25, **gpu))
    allocation(tiny, 3, kind="MemoryDeallocation", **state(300, 0, 700, fragmentation=0, **gpu))
    allocation(tiny, 4, **state(600, 0, 400, fragmentation=0, **gpu))
    allocation(tiny, 5, **state(50, allocator_name="gpu_host_bfc"))
    assert rows(tiny) == [
        tuple(COLUMNS.split(", ")),
        ("GPU_3_bfc", "GPU:3", 3, 1, 600, 2, 0, 400, 0.6, 0.25, 900),
        ("gpu_host_bfc", None, 1, 0, 50, 5, 0, 0, 1, None, None),
    ]


def test_an_allocator_of_a_tpu_is_its_device(tiny):
    allocation(tiny, 1, **state(70, 5, 25, index_on_host=1, peak_bytes_in_use=80))
    allocation(tiny, 2, **state(60, 20, 20, index_on_host=1, peak_bytes_in_use=80))
    assert rows(tiny)[1:] == [("TPU:1", "TPU:1", 2, 0, 80, 2, 20, 20, 0.8, None, 80)]


def test_what_the_events_do_not_tell_is_null(tiny):
    allocation(tiny, 1, tf_op="x")
    tiny.insert("host_events", host="h", thread="python", name="PjitFunction(f)", start_ps=1)
    assert rows(tiny)[1:] == [(None, None, 1, 0, None, None, None, None, None, None, None)]
