"""What the synthetic profile executes: the distinct ops of a training step, and the order they run in."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

TICK_PS = 1250
"""One tick of the device clock."""
PROGRAM_ID = 12_190_760_917_235_803_885
PROGRAM = f"jit_train_step({PROGRAM_ID})"
PAIR_EVERY, PAIR_SPAN = 40, 12
"""One op in so many starts an asynchronous one, which is done so many ops later."""
_KINDS = (
    ("fusion", "loop fusion"),
    ("fusion", "convolution fusion"),
    ("copy", "data formatting"),
    ("fusion", "loop fusion"),
    ("broadcast", "broadcast"),
    ("fusion", "custom fusion"),
    ("custom-call", "custom-call"),
    ("fusion", "convolution fusion"),
    ("reduce", "reduce"),
    ("all-reduce", "all-reduce"),
)
_ASYNC = ("all-gather", "copy", "collective-permute")
_SHAPES = (
    "bf16[8,2048,4096]{2,1,0:T(8,128)(2,1)}",
    "f32[4096,16384]{1,0:T(8,128)}",
    "bf16[64,128,128]{2,1,0:T(8,128)(2,1)}",
    "f32[8,2048]{1,0:T(8,128)S(1)}",
)


@dataclass(frozen=True)
class Op:
    """A distinct op. `ticks` is its usual duration on the device clock; 0 for a container."""

    name: str
    opcode: str
    category: str
    text: str
    shape: str
    scope: str
    source_line: int
    ticks: int
    start: int | None = None
    """For a done the position of its start."""


@dataclass
class Program:
    """Ops, and the slots of one step in the order in which they start."""

    ops: list[Op] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)
    """The op of each slot."""
    last: list[int] = field(default_factory=list)
    """For a container the slot of the last op inside it, -1 for others."""
    pairs: list[tuple[int, int]] = field(default_factory=list)
    """Slots of start and done of each asynchronous op."""
    _draws: np.random.Generator = field(default_factory=lambda: np.random.default_rng(20_26))

    def op(self, opcode: str, category: str, scope: str, start: int | None = None) -> int:
        """Add a distinct op; returns its position."""
        number = len(self.ops)
        name, shape = f"{opcode}.{number}", _SHAPES[number % len(_SHAPES)]
        operands = f"{shape} %param.{number}, {shape} %fusion.{max(number - 3, 0)}"
        if start is not None:
            operands = f"{self.ops[start].shape} %{self.ops[start].name}"
        extra = ", channel_id=7, replica_groups=[1,8]<=[8], to_apply=%add" if opcode == "all-reduce" else ""
        text = f"%{name} = {shape} {opcode}({operands}){extra}, metadata={{op_name={scope!r}}}"
        usual = max(2, int(self._draws.lognormal(7.5, 1.2)))
        ticks = 0 if opcode in ("while", "conditional", "call") else usual
        self.ops.append(Op(name, opcode, category, text, shape, scope, 100 + number, ticks, start))
        return number

    def body(self, count: int, scope: str) -> list[int]:
        """Add the distinct ops of one stretch of straight code."""
        ops: list[int] = []
        open_starts: dict[int, int] = {}
        while len(ops) < count:
            at = len(ops)
            if at in open_starts:
                start = open_starts.pop(at)
                done = self.ops[start].opcode.replace("-start", "-done")
                ops.append(self.op(done, done, scope, start))
                continue
            if at % PAIR_EVERY == 5 and at + PAIR_SPAN < count:
                kind = _ASYNC[at // PAIR_EVERY % len(_ASYNC)]
                ops.append(self.op(f"{kind}-start", f"{kind}-start", f"{scope}/{kind}"))
                open_starts[at + PAIR_SPAN] = ops[-1]
                continue
            opcode, category = _KINDS[at % len(_KINDS)]
            ops.append(self.op(opcode, category, f"{scope}/block{at % 7}/{opcode.replace('-', '_')}"))
        return ops

    def run(self, ops: list[int]) -> None:
        """Run ops one after the other; start and done are in one run."""
        slot_of: dict[int, int] = {}
        for op in ops:
            slot_of[op] = len(self.slots)
            start = self.ops[op].start
            if start is not None:
                self.pairs.append((slot_of[start], slot_of[op]))
            self.slots.append(op)
            self.last.append(-1)

    def container(self, op: int, runs: list[tuple[int, list[int]] | list[int]]) -> None:
        """Run a container: its parts are runs of ops, or (container, ops) one level down."""
        slot = len(self.slots)
        self.slots.append(op)
        self.last.append(-1)
        for part in runs:
            if isinstance(part, tuple):
                self.container(part[0], [part[1]])
            else:
                self.run(part)
        self.last[slot] = len(self.slots) - 1


def train_step(top: int, body: int, iterations: int) -> Program:
    """A step: straight code around a forward and a backward loop, each with a container in its body."""
    program = Program()
    before = program.body(top // 2, "jit(train_step)/jit(main)/jvp(embed)")
    after = program.body(top // 2, "jit(train_step)/jit(main)/optimizer")
    passes = []
    for name, scope in (("fwd", "jvp(decoder)/layers"), ("bwd", "transpose(jvp(decoder))/layers")):
        path = f"jit(train_step)/jit(main)/{scope}/while"
        loop = program.op("while", "while", path)
        branch = program.op("conditional", "conditional", f"{path}/body/{name}_cond")
        fused = program.op("call", "call", f"{path}/body/{name}_fused")
        straight = program.body(body, f"{path}/body")
        inner = program.body(4, f"{path}/body/{name}_cond")
        parts = program.body(3, f"{path}/body/{name}_fused")
        passes.append((loop, [straight, (branch, inner), (fused, parts)] * iterations))
    program.run(before)
    for loop, parts in passes:
        program.container(loop, parts)
    program.run(after)
    return program


@dataclass(frozen=True)
class StepTimes:
    """Start and duration of every slot of every step, in device ticks: (steps, slots)."""

    start: npt.NDArray[np.int64]
    duration: npt.NDArray[np.int64]


def step_times(program: Program, steps: int, draws: np.random.Generator) -> StepTimes:
    """Execute the program: each op near its usual duration, a short gap before it, a pause between steps."""
    usual = np.array([program.ops[op].ticks for op in program.slots], np.float64)
    last = np.array(program.last, np.int64)
    containers = np.flatnonzero(last >= 0)
    shape = (steps, len(usual))
    leaf = np.maximum(2, usual * (1 + 0.01 * draws.standard_normal(shape))).astype(np.int64)
    leaf[:, containers] = 0
    gap = draws.integers(1, 4, shape) + (draws.random(shape) < 0.02) * draws.integers(10, 2000, shape)
    closing = np.zeros(len(usual), np.int64)
    rank = np.zeros(len(usual), np.int64)
    for container in containers[::-1]:  # an inner container ends before the one around it
        closing[last[container]] += 1
        rank[container] = closing[last[container]]
    ends = np.cumsum((gap + leaf + 2 * closing).ravel()).reshape(shape) + np.arange(steps)[:, None] * 40_000
    start = ends - leaf - 2 * closing
    inner_end = (start + leaf)[:, last[containers]]
    leaf[:, containers] = inner_end + 2 * rank[containers] - start[:, containers]
    return StepTimes(start + 1_600_000, leaf)
