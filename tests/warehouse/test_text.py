"""Names keep every byte: no two byte strings become one name."""

import gzip

from hypothesis import given, settings
from hypothesis import strategies as st

from profdb.warehouse.xplane.text import inflate, text_of


def test_valid_text_stays_as_it_is() -> None:
    assert text_of("torch\\cuda\\__init__.py é\x00".encode()) == "torch\\cuda\\__init__.py é\x00"


def test_invalid_bytes_are_escaped() -> None:
    assert text_of(b"f\xff\xfeo") == r"bytes:f\xff\xfeo"
    assert text_of(rb"a\xff") == r"a\xff"
    assert text_of(b"a\\\xff") == r"bytes:a\\\xff"
    assert text_of(rb"bytes:a\xff") == r"bytes:bytes:a\\xff"


NAMES = st.lists(
    st.sampled_from([b"\\", b"x", b"f", b"\xff", b"\xc3", b"bytes:", b"\xc3\xa9"]), max_size=4
).map(b"".join)


@given(NAMES, NAMES)
@settings(max_examples=2000)
def test_two_names_meet_only_where_their_bytes_are_equal(one: bytes, other: bytes) -> None:
    assert (text_of(one) == text_of(other)) == (one == other)


def test_compressed_strings() -> None:
    assert inflate(gzip.compress(b"hello")) == b"hello"
    assert inflate(b"plain") == b"plain"
    assert inflate(gzip.compress(b"x" * 1000), limit=10) == b"x" * 10
