# The scanner: one pass over a string's own buffer, code points in, tokens out.
#
# A text is cut into parts: runs of word characters (letters, marks, numbers, "_", apostrophes, and "-" where the language
# keeps it), and within the scripts that write without spaces overlapping pairs of units (a base character and its marks).
# A change between these ends a part. Every part has one position; so does the empty part before a text that starts with
# a separator. Where identifiers are wanted, "usb-c" is a token too, in front of its parts and at the position of the first.
# Characters are classed by a pinned table (_unicode_data.h), never by the interpreter's Unicode.
#
# Each part is hashed as it is read and looked up in the memo: raw spelling -> term, or "nothing". Only a spelling that is
# not there reaches the policy, a Python callable `(surface, ngram) -> (term, folded) | None`, which folds, drops and stems.
# It answers short ASCII words alike in any case: "The" is not asked for once "the" is known. Those without an apostrophe
# or a hyphen, which are most words, do not even reach it: no language does more with them than to lower, drop and stem.
# So spans are raw by construction, and normalisation may change lengths as it likes. The memo is bounded: when it is
# full it is emptied, and words are asked for again. It is seeded, so that untrusted words cannot be chosen to collide.
# A scanner belongs to one index and is used by one thread at a time (the index's writer).
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.set cimport PySet_Contains
from cpython.unicode cimport PyUnicode_DecodeASCII, PyUnicode_Substring
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy
import os

from narsilpy._lexicon cimport NO_TERM, Lexicon

from narsilpy.errors import ErrorCode, InvalidAnalyzer

cdef extern from "_unicode_data.h":
    const unsigned short block_of[]
    const unsigned char classes[]
    const char* NARSILPY_UNICODE_VERSION

cdef extern from "Python.h":
    int PyUnicode_KIND(object)
    void* PyUnicode_DATA(object)
    bint PyUnicode_IS_COMPACT_ASCII(object)

cdef enum:
    SEPARATOR = 0               # the numbers of ext/generate_unicode.py
    WORD = 1
    APOSTROPHE = 2
    HYPHEN = 3
    MARK = 4
    WITH_IDENTIFIERS = 7        # no class: a bit among the classes that words may hold
    FIRST_SCRIPT = 8
    HIRAGANA = 9
    KATAKANA = 10
    KANA_LENGTH = 16

cdef enum:
    MEMO_ENTRIES = 1048576      # 64 MB of slots at most, half of them in use
    MEMO_KEYS = 8388608         # 32 MB of spellings
    NOGIL_FROM = 4096           # code points: giving up the GIL costs as much as scanning about 10 words
    MEMO_LONGEST = 128          # code points: longer parts are seldom words and are not remembered

INNER_APOSTROPHES = 1 << APOSTROPHE     # for Scanner and parts: apostrophes are part of a word
INNER_HYPHENS = 1 << HYPHEN
IDENTIFIERS = 1 << WITH_IDENTIFIERS     # parts joined by one character, or with "+" or "#" behind, are a token as well
UNICODE_VERSION = (<bytes>NARSILPY_UNICODE_VERSION).decode()

cdef uint64_t NGRAM = <uint64_t>0xD6E8FEB86659FD93ULL     # turns the hash seed of words into that of pairs and identifiers

ctypedef fused code_t:
    uint8_t
    uint16_t
    uint32_t


cdef class TokenBuffer:
    """Tokens of one text field, reused from document to document."""

    def __dealloc__(self):
        free(self.tokens)

    def __len__(self):
        return self.n

    cdef int reserve(self, Py_ssize_t extra) except -1:
        cdef Py_ssize_t size
        cdef void* block
        if self.n + extra > self.capacity:
            size = max(self.n + extra, self.capacity * 2, 64)
            block = realloc(self.tokens, size * sizeof(Token))
            if block == NULL:
                raise MemoryError()
            self.tokens = <Token*>block
            self.capacity = size
        return 0

    def clear(self):
        self.n = 0

    def tolist(self):
        """`(term, position, start, end)` of every token, terms by number."""
        cdef Py_ssize_t i
        return [(self.tokens[i].term, self.tokens[i].position, self.tokens[i].start, self.tokens[i].end)
                for i in range(self.n)]


cdef inline uint8_t class_of(uint32_t code) noexcept nogil:
    if code >= 0x110000:
        return SEPARATOR
    return classes[(<uint32_t>block_of[code >> 8] << 8) | (code & 255)]


cdef inline bint in_word(uint8_t kind, uint32_t inner) noexcept nogil:
    """`inner`: bits of the classes that words may hold beside letters, marks and numbers."""
    return kind == WORD or kind == MARK or (kind < FIRST_SCRIPT and (inner >> kind) & 1)


cdef class Scanner:
    """Cuts texts into tokens: `Scanner(lexicon, surfaces, policy, inner, dropped, stem)`.

    `dropped`: the words that are not indexed, and `stem`: a callable from bytes to bytes or from str to str, or None, both
    of which the policy applies too. The scanner calls `stem` without a lock, so it is nobody else's.
    """

    def __cinit__(self, Lexicon lexicon, Lexicon surfaces, object policy, uint32_t inner=1 << APOSTROPHE,
                  frozenset dropped=frozenset(), object stem=None, bint stems_bytes=False):
        self.lexicon = lexicon
        self.surfaces = surfaces
        self.policy = policy
        self.dropped = dropped
        self.stem = stem
        self.stems_bytes = stems_bytes
        self.inner = inner
        self.seed = int.from_bytes(os.urandom(8), "little")
        self.n_slots = 4096
        self.memo = <Memo*>calloc(self.n_slots, sizeof(Memo))
        if self.memo == NULL:
            raise MemoryError()
        for code in range(256):
            self.in_word[code] = in_word(class_of(code), inner)

    def __dealloc__(self):
        free(self.memo)
        free(self.keys)

    cdef int forget(self) except -1:
        """Empty the memo."""
        cdef Memo* memo = <Memo*>calloc(4096, sizeof(Memo))
        if memo == NULL:
            raise MemoryError()
        free(self.memo)
        self.memo = memo
        self.n_slots = 4096
        self.n_memo = 0
        self.n_keys = 0
        return 0

    cdef int miss(self, object text, Py_ssize_t start, Py_ssize_t end, bint ngram, const uint64_t* key, bint packed,
                  uint32_t* term, uint32_t* surface) except -1:
        """Ask the policy for a part and remember the answer."""
        cdef str raw
        cdef object answer
        cdef Py_ssize_t i, n = end - start
        cdef uint64_t lower[2]
        cdef Memo* known = NULL
        cdef Memo entry
        cdef bint is_ascii = packed and lower_ascii(key, lower)
        if is_ascii and (lower[0] != key[0] or lower[1] != key[1]):
            known = find_packed(self.memo, self.n_slots - 1, lower, self.seed)
        if known != NULL:
            term[0], surface[0] = known.term, known.surface
        elif is_ascii and is_plain(lower):
            self.take_plain(<const char*>lower, n, term, surface)
        else:
            raw = PyUnicode_Substring(text, start, end)
            answer = self.policy(raw, ngram)
            term[0] = surface[0] = NO_TERM
            if answer is not None:
                term[0] = intern(self.lexicon, <str>answer[0])
                surface[0] = intern(self.surfaces, <str>answer[1])
        if n > MEMO_LONGEST:
            return 0
        if self.n_memo >= MEMO_ENTRIES or self.n_keys + n > MEMO_KEYS:
            self.forget()
        if 2 * (self.n_memo + 1) > self.n_slots:
            self.grow_memo()
        entry.key[0], entry.key[1] = key[0], key[1]
        entry.n, entry.is_packed, entry.term, entry.surface = <uint32_t>n, packed, term[0], surface[0]
        if not packed:
            if self.n_keys + n > self.keys_size:
                self.grow_keys()
            entry.key[1] = self.n_keys
            for i in range(n):
                self.keys[self.n_keys + i] = ord(raw[i])
            self.n_keys += n
        place(self.memo, self.n_slots - 1, self.seed, &entry)
        self.n_memo += 1
        return 0

    cdef int take_plain(self, const char* folded, Py_ssize_t n, uint32_t* term, uint32_t* surface) except -1:
        """What the policy says of a lower-case ASCII word without marks inside: dropped, or stemmed."""
        cdef str word = PyUnicode_DecodeASCII(folded, n, NULL)
        cdef bytes stemmed
        term[0] = surface[0] = NO_TERM
        if PySet_Contains(self.dropped, word):
            return 0
        if self.stem is None:
            term[0] = self.lexicon.intern_utf8(folded, n)
        elif self.stems_bytes:
            stemmed = self.stem(PyBytes_FromStringAndSize(folded, n))
            if not stemmed:
                return 0
            term[0] = self.lexicon.intern_utf8(PyBytes_AS_STRING(stemmed), PyBytes_GET_SIZE(stemmed))
        else:
            word = self.stem(word)
            if not word:
                return 0
            term[0] = intern(self.lexicon, word)
        surface[0] = self.surfaces.intern_utf8(folded, n)
        return 0

    def grow_keys(self):
        cdef size_t size = max(<size_t>16384, self.keys_size * 2)
        cdef void* block = realloc(self.keys, size * sizeof(uint32_t))
        if block == NULL:
            raise MemoryError()
        self.keys = <uint32_t*>block
        self.keys_size = size

    def grow_memo(self):
        cdef uint32_t i, n_slots = self.n_slots * 2
        cdef Memo* memo = <Memo*>calloc(n_slots, sizeof(Memo))
        cdef Memo* old
        if memo == NULL:
            raise MemoryError()
        for i in range(self.n_slots):
            old = &self.memo[i]
            if old.n:
                place(memo, n_slots - 1, self.seed, old)
        free(self.memo)
        self.memo = memo
        self.n_slots = n_slots

    cdef Py_ssize_t scan(self, str text, TokenBuffer out, uint32_t base_position, uint32_t base_offset) except -1:
        cdef Py_ssize_t n = len(text)
        if <uint64_t>n + base_offset >= 0x7FFFFFFF or base_position >= 0x7FFFFFFF - n:
            raise OverflowError("a text holds at most 2**31 code points")
        cdef void* data = PyUnicode_DATA(text)
        cdef int width = PyUnicode_KIND(text)
        out.reserve(n // 8 + 16)
        if n < NOGIL_FROM:
            return scan_any(self, text, data, width, n, out, base_position, base_offset)
        with nogil:
            n = scan_any(self, text, data, width, n, out, base_position, base_offset)
        return n

    def tokens(self, str text):
        """`(term, position, start, end)` of every token of a text, terms as strings. Nothing is interned."""
        return [(answer[0], position, start, end) for position, start, end, ngram in parts(text, self.inner)
                if (answer := self.policy(text[start:end], ngram)) is not None]


cdef Py_ssize_t scan_any(Scanner self, str text, void* data, int width, Py_ssize_t n, TokenBuffer out,
                         uint32_t base_position, uint32_t base_offset) except -1 nogil:
    if width == 1:
        return scan_latin(self, text, <const uint8_t*>data, n, out, base_position, base_offset)
    if width == 2:
        return scan_codes[uint16_t](self, text, <const uint16_t*>data, n, out, base_position, base_offset)
    return scan_codes[uint32_t](self, text, <const uint32_t*>data, n, out, base_position, base_offset)


cdef inline uint64_t pack_hash(uint64_t first, uint64_t second, uint64_t seed) noexcept nogil:
    """Two rounds of multiply and fold over the words of a packed key, from a secret start."""
    cdef uint64_t h = (first ^ seed) * <uint64_t>0x9E3779B97F4A7C15ULL
    h ^= h >> 29
    h = (h ^ second ^ (seed >> 32)) * <uint64_t>0xBF58476D1CE4E5B9ULL
    return h ^ (h >> 32)


cdef inline bint lower_ascii(const uint64_t* key, uint64_t* lower) noexcept nogil:
    """The lower case of a packed key; False where it is not ASCII."""
    cdef uint64_t tops = <uint64_t>0x8080808080808080ULL, capitals
    cdef int i
    if (key[0] | key[1]) & tops:
        return False
    for i in range(2):
        # the top bit of each byte from "A" to "Z": bytes are below 128, so no sum carries into the next
        capitals = (key[i] + <uint64_t>0x3F3F3F3F3F3F3F3FULL) & ~(key[i] + <uint64_t>0x2525252525252525ULL) & tops
        lower[i] = key[i] | (capitals >> 2)
    return True


cdef inline bint is_plain(const uint64_t* key) noexcept nogil:
    """Whether a packed ASCII key holds neither an apostrophe nor a hyphen."""
    cdef const uint8_t* codes = <const uint8_t*>key
    cdef int i
    for i in range(16):
        if codes[i] == 0x27 or codes[i] == 0x2D:
            return False
    return True


cdef uint32_t intern(Lexicon lexicon, str word) except? NO_TERM:
    cdef bytes utf8
    if PyUnicode_IS_COMPACT_ASCII(word):        # its buffer is its UTF-8
        return lexicon.intern_utf8(<const char*>PyUnicode_DATA(word), len(word))
    utf8 = word.encode("utf-8", "surrogatepass")
    return lexicon.intern_utf8(utf8, len(utf8))


cdef void place(Memo* memo, uint32_t mask, uint64_t seed, const Memo* entry) noexcept nogil:
    cdef uint64_t hash = pack_hash(entry.key[0], entry.key[1], seed) if entry.is_packed else entry.key[0]
    cdef uint32_t slot = <uint32_t>hash & mask
    while memo[slot].n:
        slot = (slot + 1) & mask
    memo[slot] = entry[0]


cdef inline bint same_codes(const uint32_t* key, const code_t* codes, uint32_t n) noexcept nogil:
    cdef uint32_t i
    for i in range(n):
        if key[i] != codes[i]:
            return False
    return True


cdef inline Memo* find(Memo* memo, uint32_t mask, const uint32_t* keys, const code_t* codes, uint32_t n,
                       uint64_t hash) noexcept nogil:
    """The entry of a part that is not packed, or NULL."""
    cdef uint32_t slot = <uint32_t>hash & mask
    cdef Memo* entry = &memo[slot]
    while entry.n:
        if entry.key[0] == hash and entry.n == n and not entry.is_packed and same_codes(keys + entry.key[1], codes, n):
            return entry
        slot = (slot + 1) & mask
        entry = &memo[slot]
    return NULL


cdef inline Memo* find_packed(Memo* memo, uint32_t mask, const uint64_t* key, uint64_t seed) noexcept nogil:
    """The entry of a short Latin-1 word, or NULL. A word has no zero character, so the padding tells its length."""
    cdef uint32_t slot = <uint32_t>pack_hash(key[0], key[1], seed) & mask
    cdef Memo* entry = &memo[slot]
    while entry.n:
        if entry.key[0] == key[0] and entry.key[1] == key[1] and entry.is_packed:
            return entry
        slot = (slot + 1) & mask
        entry = &memo[slot]
    return NULL


cdef inline uint64_t finish(uint64_t hash) noexcept nogil:
    hash ^= hash >> 32
    hash *= <uint64_t>0x9E3779B97F4A7C15ULL
    return hash ^ (hash >> 29)


cdef inline Py_ssize_t unit_end(const code_t* codes, Py_ssize_t n, Py_ssize_t at) noexcept nogil:
    """The end of the unit that starts at `at`: its base and the marks behind it."""
    at += 1
    while at < n and class_of(codes[at]) == MARK:
        at += 1
    return at


cdef inline Py_ssize_t whole_end(const code_t* codes, Py_ssize_t n, Py_ssize_t at, uint32_t inner,
                                 bint* is_identifier) noexcept nogil:
    """The end of the words that start at `at` and are joined to one another; whether they are an identifier."""
    cdef Py_ssize_t start = at
    is_identifier[0] = False
    while True:
        while at < n and in_word(class_of(codes[at]), inner):
            at += 1
        if at + 1 >= n or not is_joint(codes[at]) or not in_word(class_of(codes[at + 1]), inner):
            break
        at += 1
        is_identifier[0] = True
    while at < n and (codes[at] == 0x2B or codes[at] == 0x23):
        at += 1
        is_identifier[0] = True
    if at - start > MEMO_LONGEST:
        is_identifier[0] = False
    return at


cdef inline bint is_joint(uint32_t code) noexcept nogil:
    """- . / : + @ &"""
    return (code == 0x2D or code == 0x2E or code == 0x2F or code == 0x3A or code == 0x2B or code == 0x40
            or code == 0x26)


cdef inline uint64_t hash_of(const code_t* codes, Py_ssize_t start, Py_ssize_t end, uint64_t seed) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(start, end):
        seed = (seed ^ codes[i]) * <uint64_t>1099511628211ULL
    return finish(seed)


cdef inline uint8_t script_of(uint8_t kind, uint8_t script) noexcept nogil:
    """The script that a character continues: the prolonged sound mark goes with the kana before it."""
    if kind == KANA_LENGTH:
        return script if script == HIRAGANA else KATAKANA
    return kind


cdef inline uint8_t first_script(const code_t* codes, Py_ssize_t n, Py_ssize_t at) noexcept nogil:
    """The script of a run: one that begins with prolonged sound marks is of the kana behind them.

    So a pair cut out of a run is of the run's script again.
    """
    cdef uint8_t kind = class_of(codes[at])
    if kind != KANA_LENGTH:
        return kind
    while at < n and class_of(codes[at]) == KANA_LENGTH:
        at = unit_end(codes, n, at)
    return HIRAGANA if at < n and class_of(codes[at]) == HIRAGANA else KATAKANA


cdef int emit(Scanner self, str text, const code_t* codes, Py_ssize_t start, Py_ssize_t end, bint ngram, uint64_t hash,
              TokenBuffer out, uint32_t position, uint32_t base_offset) except -1 nogil:
    """Look a part up, ask if need be, and append its token."""
    cdef uint32_t term, surface
    cdef uint64_t key[2]
    cdef Memo* entry = NULL
    if end - start <= MEMO_LONGEST:
        entry = find(self.memo, self.n_slots - 1, self.keys, codes + start, <uint32_t>(end - start), hash)
    if entry != NULL:
        term = entry.term
        surface = entry.surface
    else:
        key[0] = hash
        key[1] = 0
        with gil:
            self.miss(text, start, end, ngram, key, False, &term, &surface)
    if term != <uint32_t>NO_TERM:
        append(out, term, surface, position, base_offset + <uint32_t>start, base_offset + <uint32_t>end)
    return 0


cdef inline int append(TokenBuffer out, uint32_t term, uint32_t surface, uint32_t position, uint32_t start,
                       uint32_t end) except -1 nogil:
    cdef Token* token
    if out.n == out.capacity:
        with gil:
            out.reserve(1)
    token = &out.tokens[out.n]
    token.term = term
    token.surface = surface
    token.position = position
    token.start = start
    token.end = end
    out.n += 1
    return 0


cdef inline int emit_packed(Scanner self, str text, Py_ssize_t start, Py_ssize_t end, const uint64_t* key, TokenBuffer out,
                            uint32_t position, uint32_t base_offset) except -1 nogil:
    """`emit` of a short Latin-1 word."""
    cdef uint32_t term, surface
    cdef Memo* entry = find_packed(self.memo, self.n_slots - 1, key, self.seed)
    if entry != NULL:
        term = entry.term
        surface = entry.surface
    else:
        with gil:
            self.miss(text, start, end, False, key, True, &term, &surface)
    if term != <uint32_t>NO_TERM:
        append(out, term, surface, position, base_offset + <uint32_t>start, base_offset + <uint32_t>end)
    return 0


cdef Py_ssize_t scan_latin(Scanner self, str text, const uint8_t* codes, Py_ssize_t n, TokenBuffer out,
                           uint32_t base_position, uint32_t base_offset) except -1 nogil:
    """A text of Latin-1 characters, in which every part is a word: most words are two machine words to compare."""
    cdef Py_ssize_t at = 0, start, size
    cdef uint32_t position = base_position
    cdef uint64_t key[2]
    cdef const uint8_t* is_word = self.in_word
    cdef bint identifiers = (self.inner >> WITH_IDENTIFIERS) & 1, whole = False
    cdef Py_ssize_t whole_until = 0
    if n and not is_word[codes[0]]:
        position += 1
    while True:
        while at < n and not is_word[codes[at]]:
            at += 1
        if at == n:
            return position
        start = at
        if identifiers and start >= whole_until:
            whole_until = whole_end(codes, n, start, self.inner, &whole)
            if whole:
                emit(self, text, codes, start, whole_until, True,
                     hash_of(codes, start, whole_until, self.seed ^ NGRAM), out, position, base_offset)
        while at < n and is_word[codes[at]]:
            at += 1
        size = at - start
        if size <= 16:
            key[0] = key[1] = 0
            if start + 16 <= n:
                memcpy(key, codes + start, 16)
                if size <= 8:
                    key[0] &= <uint64_t>-1 >> (64 - 8 * size)
                    key[1] = 0
                else:
                    key[1] &= <uint64_t>-1 >> (128 - 8 * size)
            else:
                memcpy(key, codes + start, size)
            emit_packed(self, text, start, at, key, out, position, base_offset)
        else:
            emit(self, text, codes, start, at, False, hash_of(codes, start, at, self.seed), out, position, base_offset)
        position += 1


cdef Py_ssize_t scan_codes(Scanner self, str text, const code_t* codes, Py_ssize_t n, TokenBuffer out,
                           uint32_t base_position, uint32_t base_offset) except -1 nogil:
    cdef Py_ssize_t at = 0, start, middle, end, i, whole_until = 0
    cdef uint32_t position = base_position
    cdef uint8_t kind, script
    cdef uint32_t every             # all bits of a word's characters
    cdef uint64_t key[2]
    cdef uint64_t ngram_seed = self.seed ^ NGRAM
    cdef uint32_t inner = self.inner
    cdef bint identifiers = (inner >> WITH_IDENTIFIERS) & 1, whole = False
    if n and not in_word(class_of(codes[0]), inner) and class_of(codes[0]) < FIRST_SCRIPT:
        position += 1
    while at < n:
        kind = class_of(codes[at])
        if in_word(kind, inner):
            start = at
            if identifiers and start >= whole_until:
                whole_until = whole_end(codes, n, start, inner, &whole)
                if whole:
                    emit(self, text, codes, start, whole_until, True, hash_of(codes, start, whole_until, ngram_seed),
                         out, position, base_offset)
            every = 0
            while True:
                every |= codes[at]
                at += 1
                if at == n or not in_word(class_of(codes[at]), inner):
                    break
            if every < 256 and at - start <= 16:    # a Latin-1 word: the one entry that it has in Latin-1 texts too
                key[0] = key[1] = 0
                for i in range(at - start):
                    (<uint8_t*>key)[i] = <uint8_t>codes[start + i]
                emit_packed(self, text, start, at, key, out, position, base_offset)
            else:
                emit(self, text, codes, start, at, False, hash_of(codes, start, at, self.seed), out, position, base_offset)
            position += 1
        elif kind >= FIRST_SCRIPT:
            script = first_script(codes, n, at)
            start = at
            middle = unit_end(codes, n, at)
            if middle == n or script_of(class_of(codes[middle]), script) != script:
                emit(self, text, codes, start, middle, True, hash_of(codes, start, middle, ngram_seed), out, position,
                     base_offset)
                position += 1
                at = middle
                continue
            while middle < n and script_of(class_of(codes[middle]), script) == script:
                end = unit_end(codes, n, middle)
                emit(self, text, codes, start, end, True, hash_of(codes, start, end, ngram_seed), out, position,
                     base_offset)
                position += 1
                start = middle
                middle = end
            at = middle
        else:
            at += 1
    return position


def parts(str text, uint32_t inner=1 << APOSTROPHE):
    """`(position, start, end, ngram)` of every part of a text: what the scanner sees before any policy.

    `ngram`: a pair of characters or an identifier, which is folded but not stemmed.
    """
    cdef Py_ssize_t at = 0, start, middle, end, whole_until = 0, n = len(text)
    cdef uint32_t position = 0
    cdef bint identifiers = (inner >> WITH_IDENTIFIERS) & 1, whole = False
    cdef uint8_t kind, script
    cdef int width = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    cdef uint32_t* codes = <uint32_t*>malloc(max(n, 1) * sizeof(uint32_t))
    cdef list found = []
    if codes == NULL:
        raise MemoryError()
    try:
        for at in range(n):
            codes[at] = ((<uint8_t*>data)[at] if width == 1 else (<uint16_t*>data)[at] if width == 2
                         else (<uint32_t*>data)[at])
        at = 0
        if n and not in_word(class_of(codes[0]), inner) and class_of(codes[0]) < FIRST_SCRIPT:
            position = 1
        while at < n:
            kind = class_of(codes[at])
            start = at
            if in_word(kind, inner):
                if identifiers and start >= whole_until:
                    whole_until = whole_end(codes, n, start, inner, &whole)
                    if whole:
                        found.append((position, start, whole_until, True))
                while at < n and in_word(class_of(codes[at]), inner):
                    at += 1
                found.append((position, start, at, False))
                position += 1
            elif kind >= FIRST_SCRIPT:
                script = first_script(codes, n, at)
                middle = unit_end(codes, n, at)
                if middle == n or script_of(class_of(codes[middle]), script) != script:
                    found.append((position, start, middle, True))
                    position += 1
                while middle < n and script_of(class_of(codes[middle]), script) == script:
                    end = unit_end(codes, n, middle)
                    found.append((position, start, end, True))
                    position += 1
                    start = middle
                    middle = end
                at = middle
            else:
                at += 1
    finally:
        free(codes)
    return found


cdef class CallableScanner(Scanner):
    """A scanner round a custom tokenizer: a callable from text to `(term, start, end)` triples in text order."""

    def __cinit__(self, Lexicon lexicon, Lexicon surfaces, object policy):
        self.tokenizer = policy

    cdef Py_ssize_t scan(self, str text, TokenBuffer out, uint32_t base_position, uint32_t base_offset) except -1:
        cdef Py_ssize_t start, end
        cdef uint32_t position = base_position
        cdef bytes utf8
        cdef Token* token
        for term, first, last in checked_tokens(self.tokenizer, text):
            out.reserve(1)
            utf8 = (<str>term).encode("utf-8", "surrogatepass")
            start, end = first, last
            token = &out.tokens[out.n]
            token.term = self.lexicon.intern_utf8(utf8, len(utf8))
            token.surface = self.surfaces.intern_utf8(utf8, len(utf8))
            token.position = position
            token.start = base_offset + <uint32_t>start
            token.end = base_offset + <uint32_t>end
            out.n += 1
            position += 1
        return position

    def tokens(self, str text):
        return [(term, position, start, end)
                for position, (term, start, end) in enumerate(checked_tokens(self.tokenizer, text))]


def checked_tokens(tokenizer, text):
    """What a custom tokenizer returns for a text, refused where it is not `(term, start, end)` triples in order."""
    found = tokenizer(text)
    try:
        tokens = list(found)
    except TypeError:
        raise _refused(f"returned {type(found).__name__}, not an iterable of (term, start, end) triples") from None
    last = 0
    for number, token in enumerate(tokens):
        if not isinstance(token, (tuple, list)) or len(token) != 3:
            raise _refused(f"token {number} is not a (term, start, end) triple: offsets are needed to highlight and cite")
        term, start, end = token
        if not isinstance(term, str) or not term:
            raise _refused(f"token {number} has no term: a non-empty str is needed, not {type(term).__name__}")
        if type(start) is not int or type(end) is not int:
            raise _refused(f"token {number} has offsets that are not ints")
        if not 0 <= start < end <= len(text):
            raise _refused(f"token {number} spans {start} to {end} in a text of {len(text)} code points")
        if start < last:
            raise _refused(f"token {number} starts at {start}, before the one in front of it; tokens come in text order")
        last = start
    return tokens


def _refused(reason):
    return InvalidAnalyzer(ErrorCode.ANALYZER_INVALID_OUTPUT, f"the custom tokenizer is not usable: {reason}", {})
