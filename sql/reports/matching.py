"""Which question a text is, told from its words alone: the same text is always the same question.

A word has a meaning (questions/words.txt), or none of interest, or it may be the name of an op. A text is as
near to a phrasing as the meanings that both have outweigh those that only one has; a meaning that few
questions have weighs more.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from .questions import FOLDER, OP, Question, questions

LEAST_SCORE = 0.6
"""From 0 (no common meaning) to 1 (the same meanings): below this a text is no known question."""
LEAST_LEAD = 0.03
"""How much nearer the nearest question has to be than the one after it."""
_NOISE = "-"
_NAME_AS_WELL = "*"
_UNKNOWN_WEIGHT = 0.5
_NAME_WEIGHT = 1.0
_UNSURE = 0.9
"""Factor for a question about an op where its name may be a word of the question as well."""
_NAMELESS = 0.6
"""Factor for a question about an op where no name of one is in the text."""
_TOKEN = re.compile(
    r"""(?<!\S)(["'`])(?P<quoted>.+)\1(?=[?!.,;:]*(?:\s|$))|“(?P<curly>[^”]+)”|\S+""", re.DOTALL
)
_A_NAME = re.compile(r"[._%]\w")
"""What no other word has: fusion.12, loop_fusion, %dot."""
_WORD = re.compile(r"[^\W_]+")
_SHORTEST_TYPO = 6


@dataclass(frozen=True)
class Token:
    """A word of a text, or what it has in quotes."""

    text: str
    meanings: frozenset[str]
    may_be_name: bool
    is_quoted: bool
    start: int
    end: int


def nearest(text: str) -> list[tuple[float, Question]]:
    """All questions with their scores, the nearest to the text first."""
    tokens = tokenized(text)
    scored = [(_score(tokens, question), question) for question in questions()]
    return sorted(scored, key=lambda pair: -pair[0])


def chosen(ranking: list[tuple[float, Question]]) -> Question | None:
    """The question that a text is; None where it is near to none, or as near to another."""
    (best, question), (second, _) = ranking[:2]
    return question if best >= LEAST_SCORE and best - second >= LEAST_LEAD else None


def op_names(text: str) -> list[str]:
    """What in a text may be the name of an op, the most likely first: what is quoted is, and nothing else.

    A name may hold spaces, so all from its first word to its last is tried before each word alone.
    """
    tokens = tokenized(text)
    if quoted := [token.text for token in tokens if token.is_quoted]:
        return quoted[:1]
    names = [token for token in tokens if token.may_be_name]
    if not names:
        return []
    whole = text[names[0].start : names[-1].end]
    return list(dict.fromkeys(name.removeprefix("%") for name in (whole, *(name.text for name in names))))


def tokenized(text: str) -> list[Token]:
    """The words of a text with what they mean."""
    return [_token(match) for match in _TOKEN.finditer(text)]


def _token(match: "re.Match[str]") -> Token:
    quoted = match["quoted"] or match["curly"]
    if quoted:
        return Token(quoted, frozenset(), True, True, match.start(), match.end())
    text = match[0].rstrip("?!.,;:")
    end = match.start() + len(text)
    if _A_NAME.search(text):
        return Token(text, frozenset(), True, False, match.start(), end)
    if meaning := _meaning(text.lower()):
        is_name = meaning.startswith(_NAME_AS_WELL)
        return Token(text, _of_interest([meaning]), is_name, False, match.start(), end)
    parts = [_meaning(part) for part in _WORD.findall(text.lower().replace("'s", "").replace("’s", ""))]
    known = [part for part in parts if part]
    if len(known) < len(parts):
        return Token(text, frozenset(), True, False, match.start(), end)
    return Token(text, _of_interest(known), False, False, match.start(), end)


def _of_interest(meanings: Iterable[str]) -> frozenset[str]:
    return frozenset(meaning.removeprefix(_NAME_AS_WELL) for meaning in meanings if meaning != _NOISE)


def _meaning(word: str) -> str | None:
    """What a word means, a plural or a slip of the finger allowed for; None where it may be a name."""
    known = _words()
    if word.isdigit():
        return _NOISE
    found = known.get(word) or known.get(word.removesuffix("s"))
    if found is None and len(word) >= _SHORTEST_TYPO and word.isalpha():
        found = next((known[near] for near in get_close_matches(word, known, 1, 0.88)), None)
    return found


@cache
def _words() -> Mapping[str, str]:
    lines = (FOLDER / "words.txt").read_text(encoding="utf-8").splitlines()
    meanings = (line.split() for line in lines if not line.startswith("#"))
    return {word: meaning for meaning, *words in meanings for word in words}


@cache
def _phrasings(question: Question) -> tuple[frozenset[str], ...]:
    """The meanings of each phrasing, the name of an op being one."""
    return tuple(
        frozenset(
            meaning
            for token in tokenized(phrasing)
            for meaning in ([OP] if token.text == OP else token.meanings)
        )
        for phrasing in question.phrasings
    )


@cache
def _weights() -> Mapping[str, float]:
    """What each meaning weighs: the more, the fewer questions it is in."""
    every = questions()
    uses = Counter(meaning for question in every for meaning in frozenset[str]().union(*_phrasings(question)))
    most = math.log(len(every)) + 1
    weights = {meaning: most - math.log(uses.get(meaning, 1)) for meaning in {*_words().values(), *uses}}
    return weights | {OP: _NAME_WEIGHT}


def _score(tokens: list[Token], question: Question) -> float:
    asked = {meaning for token in tokens for meaning in token.meanings}
    names = [token for token in tokens if token.may_be_name]
    unknown = sum(not name.meanings for name in names) * _UNKNOWN_WEIGHT
    factor = 1.0
    if question.takes_op and not names:
        factor = _NAMELESS
    elif question.takes_op:
        factor = 1.0 if any(not name.meanings for name in names) else _UNSURE
        asked = {meaning for token in tokens if not token.may_be_name for meaning in token.meanings} | {OP}
        unknown = 0
    return factor * max(_likeness(asked, phrasing, unknown) for phrasing in _phrasings(question))


def _likeness(asked: Set[str], phrasing: Set[str], unknown: float) -> float:
    """Twice what both mean over all that they mean; the name of an op alone asks nothing."""
    common = asked & phrasing
    if common == {OP}:
        return 0.0
    return 2 * _weight(common) / (_weight(asked) + unknown + _weight(phrasing))


def _weight(meanings: Set[str]) -> float:
    weights = _weights()
    return sum(weights[meaning] for meaning in meanings)
