"""`profdb query --question` over a run of two hosts whose numbers are worked by hand."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from xspace import Event, environment, event, line, marker, plane, space

from profdb.sql.reports.matching import chosen, nearest, op_names
from profdb.sql.reports.questions import questions
from profdb.warehouse.ingest import ingest

US = 1_000_000
START_NS = 1_780_000_000_000_000_000
FORWARD = "jit(step)/jvp(mlp)/dot_general"
BACKWARD = "jit(step)/transpose(jvp(mlp))/dot_general"
RECOMPUTE = "jit(step)/transpose(jvp(attn))/rematted_computation/dot_general"

# A step of 100 us, three times, numbered from 10 so that none is warm-up; the last one is not steady.
#        0        20   25   35        55            85      95   100
# alpha  fusion.1 .... all-reduce.2   fusion.3      dot.4   ....
# beta   fusion.1 ........... all-red fusion.3      dot.4   ....
#        forward                      backward      recompute
# On 2 devices in 3 steps, in us: fusion.1 120, all-reduce.2 3 * (30 + 20) = 150, fusion.3 180, dot.4 60: 510.
# The window is 295 us on each of the 2 devices: 590.


def op(name: str, start: int, end: int, scope: str, **told: int | str) -> Event:
    """An op at microseconds."""
    return event(name, start * US, (end - start) * US, constants={"tf_op": scope, "program_id": 7, **told})


def step(start: int, arrival: int) -> list[Event]:
    """Ops of a step. The device does 100 flops in the time of a byte, the ops 10 or 1000 for each byte."""
    return [
        op("fusion.1", start, start + 20, FORWARD, flops=10_000, bytes_accessed=1000),
        op("all-reduce.2", start + arrival, start + 55, "jit(step)/psum"),
        op(
            "fusion.3",
            start + 55,
            start + 85,
            BACKWARD,
            flops=10**6,
            bytes_accessed=1000,
            source="model.py:42",
        ),
        op("dot.4", start + 85, start + 95, RECOMPUTE, flops=10**6, bytes_accessed=1000),
    ]


def profile(host: str, arrival: int) -> bytes:
    """One host of the run; in the last 5 us of a step its thread loads data."""
    starts = (0, 100, 200)
    steps = [event(str(10 + i), start * US, 100 * US) for i, start in enumerate(starts)]
    loads = [event("load_batch", (start + 95) * US, 5 * US) for start in starts]
    marks = [marker("train", 10 + i, start * US, 100 * US) for i, start in enumerate(starts)]
    ops = [one for start in starts for one in step(start, arrival)]
    peaks = {"peak_teraflops_per_second": 100.0, "peak_hbm_bw_gigabytes_per_second": 1000.0}
    modules = line("XLA Modules", *(event("jit_step(7)", start * US, 95 * US) for start in starts))
    lines = (line("Steps", *steps), modules, line("XLA Ops", *ops))
    return space(
        plane("/device:TPU:0", *lines, stats=peaks),
        plane("/host:CPU", line("main", *marks, *loads)),
        environment(START_NS, START_NS + 1_000_000),
        hostnames=(host,),
    )


HOSTILE = "a\"b'; DROP TABLE ops; -- $run\x1b[31mµ"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A warehouse with the runs `two`, `loop`, `bare` (no HLO), `idle` (no op) and, the newest, `odd`."""
    folder = tmp_path_factory.mktemp("question")
    root = str(folder / "warehouse")
    session = folder / "exp/plugins/profile/s"
    session.mkdir(parents=True)
    for host, arrival in (("alpha", 25), ("beta", 35)):
        (session / f"{host}.xplane.pb").write_bytes(profile(host, arrival))
    ingest([str(session)], root, run="two", expect_hosts=2)
    stream = "Stream #1(Compute)"
    ops = [event("while.1", 0, 30), event("a.1", 0, 10), event("b.2", 10, 20), event("c.3", 30, 10)]
    spans = line("Async XLA Ops", event("d.4", 5, 20), event("d.5", 30, 5))
    odd = (event(HOSTILE, 0, 5), event("µ.1", 5, 5), event("µ.2", 10, 5))
    for run, planes in {
        "loop": (plane("/device:TPU:0", line("XLA Ops", *ops), spans),),
        "bare": (
            plane("/device:GPU:0", line(stream, event("void k<float, 2>(int)", 0, 5), event("g", 9, 4))),
        ),
        "idle": (plane("/host:CPU", line("main", event("f", 0, 5))),),
        "odd": (plane("/device:GPU:0", line(stream, *odd)),),
    }.items():
        (folder / f"{run}.xplane.pb").write_bytes(space(*planes))
        ingest([str(folder / f"{run}.xplane.pb")], root, run=run)
    return root


@pytest.fixture
def ask(profdb: Callable, asked: str) -> Callable:
    return lambda text, run="two", *more: profdb(
        "query", "--question", text, "--run", run, "-w", asked, *more
    )


TOLD = [
    (
        ["top ops", "Which kernels take the most time?", "show me the slowest operations", "hottest kernel"],
        "fusion.3 (compute) is the hottest op: 180.0 us of self time in 6 executions, 35.3% of the op self "
        "time.",
        {"name": "fusion.3", "count": 6, "self_ps": 180 * US, "source": "model.py:42"},
    ),
    (
        [
            "compute or communication?",
            "are we compute bound or communication bound?",
            "Am I limited by compute or by the network?",
            "where does the time go",
        ],
        # Step 11 alone is steady, the first and the last are not: of its 2 windows of 100 us 60 each are
        # compute and 30 + 20 communication; 120 / 170 and 50 / 170.
        "Mostly compute: 60.0% of the steady steps. Of the time in ops, 70.6% is compute and 29.4% "
        "communication.",
        {"part": "compute_only", "total_ps": 120 * US, "per_step_ps": 60 * US},
    ),
    (
        [
            "which collective?",
            "Which collective is the slowest?",
            "is it the all-reduce or the all-gather?",
            "most expensive communication op",
        ],
        "all-reduce takes longest: 150.0 us over all devices, of which 150.0 us with no compute beside it "
        "(25.4% of the window).",  # 150 / 590
        {"collective": "all-reduce", "count": 6, "span_ps": 150 * US, "exposed_ps": 150 * US},
    ),
    (
        ["where are the gaps?", "Why is the device idle?", "longest bubbles", "where do the TPUs wait"],
        "Devices are idle longest right before all-reduce.2: 60.00 us in all, 10.2% of the window.",
        {"name": "all-reduce.2", "count": 6, "idle_ps": 60 * US},  # 3 * 5 on alpha, 3 * 15 on beta
    ),
    (
        [
            "gaps before all-reduce.2",
            "What are the gaps before 'all-reduce.2'?",
            "how long is the device idle before all-reduce",
            "idle time preceding %all-reduce.2",
        ],
        "all-reduce.2 has 6 gaps before it, 10.00 us on average and 15.00 us at most; meanwhile devices do "
        "nothing for 60.00 us in all (10.2% of the window). Most of that time follows fusion.",
        {"name": "all-reduce.2", "average_ps": 10 * US, "max_ps": 15 * US, "total_ps": 60 * US},
    ),
    (
        [
            "context of fusion.3",
            "what runs before and after fusion.3?",
            "Where is `fusion.3` called from?",
            "tell me about fusion.3",
            "why is fusion.3 slow",
        ],
        "fusion.3 (matmul) ran 6 times: 180.0 us of self time, 35.3% of that of all ops. It comes from "
        "model.py:42; mostly all-reduce.2 runs before it and dot.4 after it.",
        {"place": "itself", "count": 6, "self_ps": 180 * US, "region": "mlp", "module": "jit_step"},
    ),
    (
        [
            "regions",
            "Which layers take the most time?",
            "what part of the model is most expensive?",
            "time by layer",
        ],
        "mlp is the largest region: 58.8% of the op self time with all regions below it, 58.8% in ops of its "
        "own.",
        {"region": "mlp", "inclusive_ps": 300 * US, "forward_ps": 120 * US, "backward_ps": 180 * US},
    ),
    (
        [
            "memory or compute bound",
            "are the ops compute-bound or memory-bound?",
            "Is HBM bandwidth the limit?",
            "roofline",
        ],
        "Mostly compute: ops bound by compute are 47.1% of the op self time; the hottest of them is "
        "fusion.3.",
        {"bound_by": "compute", "op_count": 2, "self_ps": 240 * US},
    ),
    (
        [
            "what is slow in the backward pass",
            "Which ops dominate backprop?",
            "hottest kernels in bwd",
            "how long is the backward pass?",
        ],
        "fusion.3 is the slowest op of the backward pass: 100.0% of it. The backward pass is 35.3% of the op "
        "self time.",
        {"name": "fusion.3", "self_ps": 180 * US, "backward_ps": 180 * US},
    ),
    (
        [
            "how much recompute",
            "How much time is spent on rematerialization?",
            "what does checkpointing cost",
            "share of recomputation",
        ],
        "11.8% of the op self time computes activations again (60.00 us), most of it in attn; 0.0% has no "
        "framework path, which would tell.",
        {"recompute_ps": 60 * US, "forward_ps": 120 * US, "most_region_ps": 60 * US},
    ),
    (
        ["which host is slow?", "Who is the straggler?", "which machine lags behind", "slowest worker"],
        "beta makes the others wait most: 30.00 us in all, last in 3 of 3 arrivals; its slowest device is "
        "TPU:0.",
        {"host": "beta", "last_count": 3, "wait_caused_ps": 30 * US, "wait_suffered_ps": 0},
    ),
    (
        [
            "do devices wait for the host",
            "Is it input bound?",
            "is the data loader the bottleneck?",
            "am I host bound",
        ],
        # On beta 3 gaps of 15 us and 2 of 5 us, in all of which the step marker is open.
        "Devices wait for their host beta for 18.6% of the window (55.00 us); for 0.0% more nothing tells "
        "what it did.",
        {"host": "beta", "idle_ps": 55 * US, "host_wait_ps": 55 * US, "untraced_ps": 0},
    ),
    (
        ["how long is a step?", "step time", "How long does one training step take?", "median step time"],
        "A step takes 100.0 us: the median of 1 step (steady), of which 90 % take at most 100.0 us.",
        {"step_count": 3, "counted_step_count": 1, "step_median_ps": 100 * US},
    ),
    (
        [
            "what to optimise next",
            "What should I optimize next?",
            "how do I make it faster",
            "what is the bottleneck?",
            "which op should I fix first",
        ],
        "The costliest finding: fusion.3 alone is 35.3 % of the op self time of the capture. To try: look at "
        "its source line, shape and roofline; another algorithm, layout or kernel may pay.",
        {"rank": 1, "finding": "hot_op"},
    ),
    (
        [
            "is this profile complete?",
            "can I trust this capture",
            "Is anything missing?",
            "are all hosts there",
        ],
        "Yes: every check of the capture is ok.",
        None,
    ),
]


@pytest.mark.parametrize(("texts", "sentence", "first"), TOLD, ids=[texts[0] for texts, *_ in TOLD])
def test_every_phrasing_has_the_answer(
    ask: Callable, texts: list[str], sentence: str, first: dict | None
) -> None:
    question = chosen(nearest(texts[0]))
    assert question is not None
    assert [chosen(nearest(text)) for text in texts] == [question] * len(texts)
    # What is not about an op depends on nothing else than the question: asking once is enough.
    for text in texts if question.takes_op else texts[-1:]:
        done = ask(text, "two", "--format", "json")
        assert (done.code, done.err.splitlines()[0]) == (0, f"profdb: {sentence}")
        rows = json.loads(done.out)
        assert rows[0].items() >= first.items() if first else rows == []


def test_every_question_is_asked_here_in_three_ways_or_more() -> None:
    assert {chosen(nearest(texts[0])) for texts, *_ in TOLD} == set(questions())
    assert min(len(texts) for texts, *_ in TOLD) >= 3


def test_an_answer_is_a_sentence_rows_and_the_command_that_gives_them_again(
    ask: Callable, asked: str, tmp_path: Path
) -> None:
    done = ask("which kernels are slow?", "two", "--top", "2")
    assert (done.code, done.err) == (0, "")
    sentence, heading, table, command = done.out.decode().split("\n\n", 3)
    assert sentence.startswith("fusion.3 (compute) is the hottest op: ")
    assert heading == "Hottest ops (hot_ops) of two: By self time on all devices over the whole capture."
    assert [line.split()[0] for line in table.splitlines()[2:]] == ["fusion.3", "all-reduce.2"]
    assert command.startswith(f"profdb query - -p run two --set top=2 -w {asked} <<'SQL'\nSELECT rank, name")
    again = shell(command, "--format csv")
    assert again == ask("which kernels are slow?", "two", "--top", "2", "--format", "csv").out.decode()


def shell(command: str, options: str = "") -> str:
    """What the command that an answer ends with gives in a shell."""
    program = f"{sys.executable} -m profdb query - {options} "
    done = subprocess.run(
        ["bash", "-c", command.replace("profdb query - ", program, 1)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_the_rows_alone_are_data(ask: Callable, tmp_path: Path) -> None:
    done = ask("which collective", "two", "--format", "csv")
    assert done.out.decode().splitlines()[1].startswith("all-reduce,1,2,6,150000000,25000000,")
    told = done.err.splitlines()
    assert told[0].startswith("profdb: all-reduce takes longest: ")
    assert told[2].startswith("profdb query - -p run two -w ")
    assert (told[3][:16], told[-1]) == ("SELECT collectiv", "SQL")
    done = ask("top ops", "two", "-o", "answer.txt", "--limit", "1")
    assert (done.code, done.out) == (0, b"")
    assert done.err == "profdb: note: only the first 1 rows are shown; --limit -1 shows all\n"
    text = (tmp_path / "answer.txt").read_text()
    assert ("fusion.3  " in text, "\ndot.4" in text) == (True, False)
    assert ask("top ops", "two", "--limit", "0").out.startswith(b"fusion.3 (compute) is the hottest op")


def test_the_newest_run_is_asked_where_none_is_named(profdb: Callable, asked: str) -> None:
    done = profdb("query", "--question", "top ops", "-w", asked)
    assert b"Hottest ops (hot_ops) of odd: " in done.out


@pytest.mark.parametrize(
    "text",
    [
        "what is the weather in Paris?",
        "did it get slower than yesterday",
        "hello",
        "",
        "how much memory is used",
    ],
)
def test_an_unknown_question_lists_what_can_be_answered(ask: Callable, text: str) -> None:
    done = ask(text)
    error, _, hint, _, heading, *known = done.err.splitlines()
    assert (done.code, done.out) == (2, b"")
    assert error == f"profdb: error: --question {text!r} is none that can be answered"
    assert hint.startswith("hint: profdb query --question ")
    assert heading == "These can be answered, the nearest first:"
    assert sorted(known) == sorted(f"  {question.text}" for question in questions())


def test_the_nearest_question_is_proposed_first(ask: Callable) -> None:
    told = ask("what is slow in the forward pass").err.splitlines()
    assert told[2] == "hint: profdb query --question 'What is slow in the backward pass?'"
    assert told[5] == "  What is slow in the backward pass?"


def test_list_tells_the_questions_without_a_warehouse(profdb: Callable) -> None:
    done = profdb("query", "--question", "list", "-w", "none", "--format", "json")
    assert [row["question"] for row in json.loads(done.out)] == [question.text for question in questions()]
    assert done.code == 0


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"context of '{HOSTILE}'", HOSTILE),
        (f"context of {HOSTILE}", HOSTILE),
        ("context of '; DROP TABLE ops; --'", HOSTILE),  # a part of its name
        ("context of µ.2", "µ.2"),
    ],
)
def test_the_name_of_an_op_is_text_to_sql_shell_and_terminal(ask: Callable, text: str, name: str) -> None:
    done = ask(text, "odd")
    answer = done.out.decode()
    assert (done.code, "\x1b" in answer) == (0, False)
    shown = name.replace("\x1b", r"\x1b")
    assert answer.startswith(f"{shown} (other) ran 1 time: 5 ps of self time, 33.3%")
    again = shell(answer[answer.index("profdb query - ") :], "--format json")
    assert again == ask(text, "odd", "--format", "json").out.decode()
    assert json.loads(again)[0]["name"] == name


@pytest.mark.parametrize("quote", ["'{}'", '"{}"', "`{}`", "“{}”", "{}"])
def test_a_name_with_spaces_may_be_quoted(ask: Callable, quote: str) -> None:
    text = f"what is the context of {quote.format('void k<float, 2>(int)')}?"
    assert ask(text, "bare").out.startswith(b"void k<float, 2>(int) (other) ran 1 time: ")


def test_a_name_is_that_op_else_its_clones_else_a_part_of_names(ask: Callable) -> None:
    def found(name: str) -> list[str]:
        rows = json.loads(ask(f"gaps before '{name}'", "odd", "--format", "json").out)
        return sorted(row["name"] for row in rows)

    assert found("µ.1") == ["µ.1"]
    assert found("µ") == ["µ.1", "µ.2"]
    assert found("drop table") == [HOSTILE]
    several = ask("context of µ", "odd").out.decode()
    assert several.startswith("2 ops match, with 10 ps of self time. The hottest, µ.")


@pytest.mark.parametrize(
    ("op", "places"),
    [
        (
            "b.2",
            [
                ("itself", "b.2", 20),
                ("around", "while.1", None),
                ("before", "a.1", None),
                ("after", "c.3", None),
            ],
        ),
        ("c.3", [("itself", "c.3", 10), ("before", "b.2", None)]),  # and not the loop, which began earlier
        ("while.1", [("itself", "while.1", 30), ("after", "a.1", None)]),
        ("d.4", [("async span", "d.4", 20)]),
    ],
)
def test_the_context_of_an_op_is_what_is_around_before_and_after(
    ask: Callable, op: str, places: list[tuple]
) -> None:
    # XLA Ops        while.1 [0,30]  with a.1 [0,10] and b.2 [10,30] inside;  c.3 [30,40]
    # Async XLA Ops  d.4 [5,25]  d.5 [30,35]
    rows = json.loads(ask(f"context of {op}", "loop", "--format", "json").out)
    assert [(row["place"], row["name"], row["total_ps"]) for row in rows] == places
    assert {row["count"] for row in rows} == {1}


def test_spans_beside_the_core_have_no_self_time(ask: Callable) -> None:
    spans = ask("context of 'd.'", "loop").out.decode()
    assert spans.startswith("2 ops match, all of them asynchronous spans beside the core: 25 ps in all.\n")
    assert ask("context of d.5", "loop").out.startswith(
        b"d.5 (other) ran 1 time beside the core, as an async"
    )


@pytest.mark.parametrize("text", ["gaps before fusion.9", "context of 'fusion.9'"])
def test_a_name_that_no_op_has_is_an_error_with_the_nearest(ask: Callable, asked: str, text: str) -> None:
    done = ask(text)
    assert (done.code, done.out) == (3, b"")
    error, _, hint = done.err.splitlines()
    assert error.startswith("profdb: error: run 'two' has no op 'fusion.9'; did you mean 'fusion.")
    assert hint == f"hint: profdb query 'SELECT name FROM ops WHERE run = $run' -p run two -w {asked}"


def test_a_question_about_an_op_needs_one(ask: Callable) -> None:
    done = ask("what is the context of an op?")
    error, _, hint, *_ = done.err.splitlines()
    assert (done.code, error) == (
        2,
        "profdb: error: --question 'what is the context of an op?' is none that can be answered",
    )
    assert hint == "hint: profdb query --question 'What is the context of fusion.1?'"


def test_who_names_an_op_is_told_where_the_answer_is_of_the_run(ask: Callable) -> None:
    done = ask("is fusion.3 memory bound or compute bound?")
    assert done.err == "profdb: note: this is about the whole run and not about 'fusion.3' alone\n"


def test_what_the_capture_does_not_tell_is_said_and_is_4(ask: Callable) -> None:
    def told(text: str, run: str) -> tuple[int, str]:
        done = ask(text, run)
        return done.code, done.out.decode().splitlines()[0]

    paths = "Cannot tell: no op has a framework path, which tells region and phase."
    for text in ("how much recompute", "what is slow in the backward pass", "which region is slowest"):
        assert told(text, "bare") == (4, paths)
    assert told("which host is slow", "bare") == (4, "Cannot tell: only one device was captured.")
    assert told("memory or compute bound", "bare") == (
        4,
        "Cannot tell: for 100.0% of the op self time nothing tells what limits it; of the hottest such op, "
        "void k<float, 2>(int): flops and bytes are unknown.",
    )
    assert told("which collective", "bare") == (0, "No collective was recorded.")
    for text in ("top ops", "which collective", "gaps", "memory or compute bound", "which host is slow"):
        assert told(text, "idle") == (4, "Cannot tell: no device op was recorded.")
    assert told("how long is a step", "idle") == (4, "Cannot tell: no whole step was captured.")
    assert told("is it complete", "idle") == (
        0,
        "Not by every check; the worst is no_device_ops (fail): no device op was recorded.",
    )


def test_an_answer_from_a_poor_capture_says_so(ask: Callable) -> None:
    done = ask("top ops", "bare")
    assert done.err == (
        "profdb: note: the capture is not fit for conclusions: 100.0 % of device op time has no framework "
        "path, copies apart\n"
    )


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ["SELECT 1", "--question", "top ops"],
            "--question 'top ops' and SQL were given; a query is one of them\n"
            "\nhint: profdb query --question TEXT --run RUN",
        ),
        (
            ["-f", "x.sql", "--question", "top ops"],
            "--question 'top ops' and -f were given; a query is one of them\n"
            "\nhint: profdb query --question TEXT --run RUN",
        ),
        (
            ["--question", "top ops", "-p", "run", "two"],
            "--question 'top ops' and -p were given; a query is one of them\n"
            "\nhint: profdb query --question TEXT --run RUN",
        ),
        (
            ["SELECT 1", "--run", "two"],
            "--run 'two' goes with --question\n\nhint: WHERE run = $run, with -p run RUN",
        ),
        (["SELECT 1", "--top", "3"], "--top 3 goes with --question\n\nhint: LIMIT 3"),
        (
            ["--question", "a " * 5001],
            "--question has 10002 characters; a question has no more than 10000\n"
            "\nhint: profdb query --question list",
        ),
        (
            ["--question", "\udcff"],
            "--question '\\udcff' is not UTF-8 text\n\nhint: --question TEXT, in UTF-8",
        ),
    ],
)
def test_a_query_is_sql_or_a_question(profdb: Callable, arguments: list[str], error: str) -> None:
    done = profdb("query", *arguments)
    assert (done.code, done.out, done.err) == (2, b"", f"profdb: error: {error}\n")


def test_a_run_that_is_not_there_is_an_error(ask: Callable, asked: str) -> None:
    done = ask("top ops", "tow")
    error = f"there is no run 'tow'; did you mean 'two'?\n\nhint: profdb runs -w {asked}"
    assert (done.code, done.err) == (3, f"profdb: error: {error}\n")


def test_a_real_profile_gives_its_numbers(profdb: Callable, ingested: Callable) -> None:
    """The sums are those of the profile's events, as the oracles of the warehouse read them."""
    run = ingested("tpu_v6e_4chip_inference")

    def told(text: str) -> dict:
        done = profdb("query", "--question", text, "--run", run.name, "-w", run.warehouse, "--format", "json")
        return json.loads(done.out)[0]

    (spent,) = run.rows(
        "SELECT sum(self_ps)::BIGINT FROM op_events WHERE run = $run AND name = 'copy-done.2'"
    )
    hottest = told("top ops")
    assert (hottest["name"], hottest["count"], hottest["self_ps"]) == ("copy-done.2", 400, *spent)
    assert hottest["self_ps"] == 87_957_829_846_424
    assert told("context of copy-done.2").items() >= {"count": 400, "before_name": "copy-start.1"}.items()
    assert told("which collective").items() >= {"collective": "all-reduce", "count": 12}.items()
    gaps = """
        SELECT sum(gap_ps)::BIGINT FROM (
          SELECT name, start_ps - max(start_ps + duration_ps) OVER (
            PARTITION BY device ORDER BY start_ps ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ) AS gap_ps
          FROM op_events WHERE run = $run AND NOT is_async
        ) AS spaced WHERE name = 'all-reduce'"""
    assert run.rows(gaps) == [(26_423_328_218_922,)]
    before = told("gaps before all-reduce")
    assert (before["count"], before["total_ps"], before["idle_ps"]) == (9, *[26_423_328_218_922] * 2)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gaps before call.5?", ["call.5"]),  # a word of questions, but for its number
        ("context of %while.2 please", ["while.2"]),
        ("context of all-reduce", ["all-reduce"]),
        ("what is the contxt of fusion.1", ["fusion.1"]),  # a slip of the finger is no name
        ("context of a `b c` and d", ["b c"]),
        ("context of x<int, y> now", ["x<int, y>", "x<int", "y>"]),
    ],
)
def test_what_may_be_the_name_of_an_op(text: str, names: list[str]) -> None:
    assert op_names(text) == names
