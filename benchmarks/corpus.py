"""Seeded corpora, the same on every machine, cached as JSON lines in benchmarks/cache (or $NARSILPY_BENCH_CACHE).

    short    60 words a document, English-like: Zipf ranks over 200,000 inflected words, in sentences
    medium   the same language, 200 words
    long     5,000 words              huge   100,000 words
    mixed    60 words, sentences in sixteen languages and seven scripts, with emoji

The words are made of English morphemes, so that a stemmer folds them as it folds English; the most frequent ranks are
English function words, so that stop words take the share of the text that they take in English (about two fifths).
"""
from __future__ import annotations

import json
import os
import random
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, TextIO

__all__ = ["CORPORA", "Document", "english", "iterate", "load", "mixed", "path_of"]

CACHE = Path(os.environ.get("NARSILPY_BENCH_CACHE") or Path(__file__).parent / "cache")
MEAN_WORDS = {"short": 60, "medium": 200, "long": 5_000, "huge": 100_000, "mixed": 60}
CORPORA = tuple(MEAN_WORDS)
SEED = 20261201

FUNCTION_WORDS = (
    "the of and to a in is that for it as was with be by on not he this are or his from at which but have an had "
    "they you were there one all we her she been has would their will who what if more when no out so up some them "
    "him into its then only could my about than other also do any me these two should may those such our over after "
    "most must before between through where down under while both each being because during against until very same "
    "own too here how why just now off again few further once"
).split()
PREFIXES = ["", "", "", "", "re", "un", "in", "de", "con", "pre", "trans", "inter", "over", "sub", "ex", "dis", "mis"]
ROOTS = (
    "act art band bar base bear bell bind blank board bond book bound brand break bridge brook build burn card care "
    "cart case cast chain chart claim clear climb cloud coal coast cord corn count court cover craft crane cross "
    "crown cruise cure curl dance dark date deal deck dial dock draft drain draw dream drift drill drive dust edge "
    "embark fair farm fast field fill film find firm fish flag flame flat float flood floor flow fold forge form "
    "fort frame frost fuel gain gate gaze gift glass grade grain grand grant grass graph ground group grow guard "
    "guest guide hall hand harbour hard haul head hill hold home hook host house hunt join joint judge jump keel "
    "kind king knot lab lamp land lane last lead leaf learn lend lens level light limb line link list load lock "
    "long loop march mark mast match mate meter mill mind mine mist model moor mount move nail nest net night noise "
    "north note order pack paint pair pale park part pass path pay peel pier pile pilot pin plain plan plant plate "
    "play plot point pole pond port post pound press price print prize proof pull pump quarter quest race rail rain "
    "raise ramp range rank rate reach read reef rest ride ring rise road rock roll roof room root rope round route "
    "row rule sail salt sand scale school score scout screen script sea seal search seat seed sense serve set shade "
    "shaft shape share sharp shed sheet shelf shell shift ship shop shore sign silk silver site skin slate slip "
    "slope smith snow soft soil sort sound south spark spell spin spring square stack staff stage stair stamp stand "
    "star start state station steam steel stem step stone store storm strand stream street strike string strip "
    "struct style surf sweep swift table tact tail tank task tend tent term test text thread tide tie tile timber "
    "time tone tool top torch touch tour tower town track trade trail train transfer trap travel tread treat tree "
    "trend trial tribe trim trip truck trunk trust tube tune turn twist valley value vault vent verse vessel view "
    "village vine voice vote voyage wait walk wall ward ware wash watch water wave way weather weave weight well "
    "west wheel whistle wild wind window wing winter wire wise wish wood wool word work world worth yard yarn year "
    "yield"
).split()
SUFFIXES = ["", "", "", "s", "s", "ed", "ing", "er", "ers", "ly", "ness", "able", "ation", "ive", "al", "ment", "ful"]
TAGS = [f"tag{number:02d}" for number in range(20)]


class Document(NamedTuple):
    """What every engine stores; only `body` is searched, `tag` and `num` are filtered."""

    id: str
    title: str
    body: str
    tag: str
    num: int


@cache
def vocabulary(size: int = 200_000) -> list[str]:
    """Distinct words by descending frequency: function words, then inflected roots and compounds, short ones first."""
    random_ = random.Random(SEED)
    content: dict[str, None] = {}
    for root in ROOTS:
        content.update(dict.fromkeys(root + suffix for suffix in SUFFIXES))
    while len(content) < size:
        second = random_.choice(ROOTS) if random_.random() < 0.7 else ""
        stem = random_.choice(PREFIXES) + random_.choice(ROOTS) + second
        for suffix in random_.sample(SUFFIXES, random_.randint(1, 5)):
            content[stem + suffix] = None
    # sums of uniform draws, here and below: the same on every machine, as the libm behind a Gaussian need not be
    ranked = sorted(content, key=lambda word: len(word) + 5 * (random_.random() + random_.random()))[:size]
    known = set(FUNCTION_WORDS)
    return FUNCTION_WORDS + [word for word in ranked if word not in known]


class Language:
    """Draws words by rank, and puts them into sentences.

    Ranks follow Zipf's law in the two regimes that large collections show: exponent 1 (Mandelbrot's shift 2.7) to rank
    3,000, then 1.9. So 100,000 words hold 12,000 distinct ones and a million hold 37,000, as package descriptions and
    film plots do; a single exponent of 1.05 gives three times as many, and no cache of words would ever seem to work.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.words = vocabulary()
        ranks = range(1, len(self.words) + 1)
        self.cumulative = list(accumulate(1 / (rank + 2.7) * min(1.0, (3000 / rank) ** 0.9) for rank in ranks))

    def draw(self, n_words: int) -> list[str]:
        return self.random.choices(self.words, cum_weights=self.cumulative, k=n_words)

    def text(self, n_words: int) -> str:
        """`n_words` words in sentences of 6 to 24 words, a comma now and then, a paragraph every dozen sentences."""
        words, parts, at = self.draw(n_words), [], 0
        while at < n_words:
            length = self.random.randint(6, 24)
            sentence = words[at : at + length]
            if len(sentence) > 12:
                sentence[len(sentence) // 2] += ","
            sentence[0] = sentence[0].capitalize()
            parts.append(" ".join(sentence))
            at += length
        paragraphs = [". ".join(parts[first : first + 12]) for first in range(0, len(parts), 12)]
        return ".\n\n".join(paragraphs) + "."


# Everyday words; each language is written as its readers write it, with its own marks, cases and joined letters.
SCRIPTS = {
    "french": "l'école été où naïve cœur garçon français hôtel forêt aujourd'hui déjà très élève bâtiment œuvre côté",
    "german": "Straße über Größe Mädchen schön Übung für Häuser Fuß natürlich Bücher größte Königin grün süß möglich",
    "turkish": "İstanbul ışık çocuk güneş şehir ağaç öğrenci kapı büyük küçük yıldız iğne İzmir dağ değil ığdır",
    "polish": "źródło łódź święty żółty gęś ćma książka śnieg dzień wąski pięć źle może więcej późno głęboko",
    "vietnamese": "tiếng Việt đường phố người không được những nước thành một trường học đẹp buổi sáng",
    "decomposed": "cafe\u0301 re\u0301sume\u0301 a\u030angstro\u0308m pin\u0303ata u\u0308ber cre\u0300me",
    "russian": "город дорога книга человек большой время жизнь работа слово место вопрос сторона страна мир случай ещё",
    "greek": "πόλη δρόμος βιβλίο άνθρωπος μεγάλος χρόνος ζωή δουλειά λόγος ΟΔΟΣ θάλασσα ήλιος νερό σπίτι φίλος",
    "arabic": "مدينة طريق كتاب إنسان كبير وقت حياة عمل كلمة مكان سؤال بلد عالم مدرسة شمس ماء",
    "hebrew": "עיר דרך ספר אדם גדול זמן חיים עבודה מילה מקום שאלה ארץ עולם שמש מים",
    "hindi": "शहर सड़क किताब आदमी बड़ा समय जीवन काम शब्द जगह प्रश्न देश दुनिया पानी सूरज",
    "chinese": "城市道路 图书馆 人民 时间 生活 工作 语言 地方 问题 国家 世界 学校 太阳 水 全文搜索",
    "japanese": "東京都 道路 図書館 ひらがな カタカナ 時間 生活 仕事 言葉 場所 問題 世界 学校 太陽 検索エンジン",
    "korean": "도시 도로 도서관 사람 시간 생활 직업 언어 장소 문제 나라 세계 학교 태양 물",
    "thai": "เมืองถนน หนังสือ คนใหญ่ เวลาชีวิต งานคำ สถานที่ คำถาม ประเทศ โลก โรงเรียน ดวงอาทิตย์ น้ำ",
    "symbols": "😀 👩‍👩‍👧‍👦 🇫🇷 👍🏽 “quoted” don’t — ﬁne ＦＵＬＬ 𝒜𝓁𝓅𝒽𝒶 x² 3½ №5 e\u00admail\u200bword",
}


def mixed(n_documents: int, seed: int = SEED) -> Iterator[Document]:
    """Documents whose sentences change language; a third of the sentences are English."""
    language = Language(seed)
    random_ = language.random
    lists = [words.split() for words in SCRIPTS.values()]
    for number in range(n_documents):
        sentences, n_words = [], 0
        while n_words < MEAN_WORDS["mixed"]:
            length = random_.randint(5, 14)
            foreign = random_.choices(random_.choice(lists), k=length)
            words = language.draw(length) if random_.random() < 1 / 3 else foreign
            sentences.append(" ".join(words).capitalize() if random_.random() < 0.5 else " ".join(words))
            n_words += length
        body = ". ".join(sentences) + "."
        yield Document(f"m{number:07d}", sentences[0][:40], body, random_.choice(TAGS), number % 10_000)


def english(name: str, n_documents: int, seed: int = SEED) -> Iterator[Document]:
    """Documents of the English-like corpora; lengths lie bell-shaped round the mean."""
    mean = MEAN_WORDS[name]
    language = Language(seed + mean)
    random_ = language.random
    tag_shares = list(accumulate(1.0 / (rank + 1) for rank in range(len(TAGS))))
    for number in range(n_documents):
        n_words = int(mean * (0.25 + 0.5 * (random_.random() + random_.random() + random_.random())))
        title = " ".join(language.draw(5)).capitalize()
        tag = TAGS[bisect_left(tag_shares, random_.random() * tag_shares[-1])]
        yield Document(f"d{number:07d}", title, language.text(n_words), tag, random_.randrange(10_000))


def write(documents: Iterator[Document], file: TextIO) -> None:
    for document in documents:
        file.write(json.dumps(document, ensure_ascii=False) + "\n")


def path_of(name: str, n_documents: int) -> Path:
    """The cached file of a corpus, written first if it is not there."""
    path = CACHE / f"{name}-{n_documents}.jsonl"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}.tmp")
        with unfinished.open("w", encoding="utf-8") as file:
            write(mixed(n_documents) if name == "mixed" else english(name, n_documents), file)
        unfinished.replace(path)
    return path


def iterate(name: str, n_documents: int) -> Iterator[Document]:
    with path_of(name, n_documents).open(encoding="utf-8") as file:
        for line in file:
            yield Document._make(json.loads(line))


def load(name: str, n_documents: int) -> list[Document]:
    return list(iterate(name, n_documents))
