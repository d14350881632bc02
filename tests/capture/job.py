"""One process of a training job: job.py PORT INDEX COUNT DIRECTORY MODE. Prints its outcomes.

MODE: one (only process 2 profiles), full (process 1 has no room, all wait after the window), sync (all wait),
late (process 3 opens its profiler late), asked (process 1 is asked for a window, and all record it).
"""

import json
import os
import resource
import signal
import sys
import time

import jax
import jax.numpy as jnp

from profdb.capture import ProfileOptionsConfig, ProfilerConfig

port, index, count, directory, mode = (
    sys.argv[1],
    int(sys.argv[2]),
    int(sys.argv[3]),
    sys.argv[4],
    sys.argv[5],
)
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(f"127.0.0.1:{port}", count, index)

mesh = jax.make_mesh((count,), ("data",))
split = jax.NamedSharding(mesh, jax.P("data"))
batch = jax.make_array_from_process_local_data(split, jnp.ones((8, 64)))
step = jax.jit(lambda x: (x * 2).sum())
step(batch).block_until_ready()

if mode == "full" and index == 1:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, limits[1]))
if mode == "late" and index == 3:
    time.sleep(1)
config = ProfilerConfig(
    enabled=True,
    start_step=None if mode == "asked" else 2,
    num_steps=3,
    directory=directory,
    process_index=2 if mode == "one" else None,
    sync_after_stop=mode in ("sync", "full"),
    profile_options=ProfileOptionsConfig(python_tracer_level=int(mode == "full")),
)
profiler = config.build(run_id="job", mesh=mesh)
for number in range(80 if mode == "asked" else 8):
    with profiler.step(number):
        step(batch).block_until_ready()
    if mode == "asked":
        time.sleep(0.05)
        if (index, number) == (1, 9):
            os.kill(os.getpid(), signal.SIGUSR2)
profiler.close()
said = [[found["outcome"] for found in profiler.manifests], profiler.affected_steps]
sys.stdout.write(json.dumps(said) + "\n")
