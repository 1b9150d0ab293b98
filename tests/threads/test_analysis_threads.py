"""One analyzer, many threads: stemmers keep state between calls, so an unguarded one gives wrong stems."""
from __future__ import annotations

import sys
import threading

import pytest
from snowballstemmer.english_stemmer import EnglishStemmer

from narsilpy._ingest import Intake
from narsilpy._lexicon import Lexicon
from narsilpy.analysis import Analyzer

STEMS = ("gener", "organ", "real", "nation", "oper", "connect", "relat", "sensit", "form", "hop")
ENDINGS = ("alizations", "izing", "ation", "ingly", "ed", "fulness", "ibilities", "ous", "s", "ements")
WORDS = [stem + ending for stem in STEMS for ending in ENDINGS]


@pytest.mark.parametrize("stemmer", ["installed", "pure Python"])
def test_threads_that_share_an_analyzer_get_the_stems_of_one_thread(stemmer: str) -> None:
    expected = {word: Analyzer().word(word) for word in WORDS}
    shared = Analyzer()
    if stemmer == "pure Python":        # what is used where PyStemmer is missing
        shared._stem = EnglishStemmer().stemWord
    wrong: list[object] = []
    started = threading.Barrier(4)

    def ask(number: int) -> None:
        started.wait()
        for repeat in range(10):
            for word in WORDS[number::2] + WORDS[:number]:
                if shared.word(word) != expected[word]:
                    wrong.append(word)
            lexicon = Lexicon()         # a fresh scanner: nothing remembered, every word asked for
            tokens = Intake([shared.scanner(lexicon, Lexicon())]).scan([" ".join(WORDS)])[0].tolist()
            if [lexicon.term(token[0]) for token in tokens] != [answer[0] for answer in expected.values() if answer]:
                wrong.append(repeat)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong
