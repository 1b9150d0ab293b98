"""The lexicon against its twin."""
from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from narsilpy._lexicon import Lexicon
from tests.reference import lexicon as twin

CHARS = st.sampled_from("abc\u00e9\u03c3\u6f22\U00010400\ud800\uffff\x00")
WORDS = st.text(CHARS, max_size=6)


@given(words=st.lists(WORDS, max_size=30), more=st.lists(WORDS, max_size=10), asked=WORDS, max_edits=st.integers(0, 4),
       prefix_length=st.integers(0, 4))
@example(words=["", "a"], more=["ab"], asked="", max_edits=1, prefix_length=0)
def test_the_lexicon_is_its_twin(words: list[str], more: list[str], asked: str, max_edits: int,
                                 prefix_length: int) -> None:
    native, slow = Lexicon(), twin.Lexicon()
    for batch in (words, more):         # the second batch is merged into an order that exists
        assert [native.intern(word) for word in batch] == [slow.intern(word) for word in batch]
        assert len(native) == len(slow.terms)
        assert [native.term(number) for number in range(len(native))] == slow.terms
        assert native.find(asked) == slow.find(asked)
        assert native.sorted_ids() == slow.sorted_ids()
        assert native.prefix_range(asked) == slow.prefix_range(asked)
        assert native.fuzzy(asked, max_edits, prefix_length) == slow.fuzzy(asked, max_edits, prefix_length)


def test_long_terms_grow_the_arena_and_stay() -> None:
    words = ["x" * n for n in (1, 200, 255, 256, 257, 70_000, 1_100_000)] + [f"w{n}" for n in range(5_000)]
    lexicon = Lexicon()
    numbers = [lexicon.intern(word) for word in words]
    assert [lexicon.term(number) for number in numbers] == words
    assert [lexicon.find(word) for word in words] == numbers
    assert lexicon.fuzzy("x" * 257, 1) == [(4, 0)]          # beyond 256 characters a term matches exactly only
    assert lexicon.fuzzy("x" * 256, 1) == [(2, 1), (3, 0), (4, 1)]
