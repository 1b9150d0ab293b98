# Where a text may be cut without cutting what a reader takes for one character. See _graphemes.pyx.
cdef Py_ssize_t grapheme_before(str text, Py_ssize_t at) noexcept
cdef Py_ssize_t grapheme_after(str text, Py_ssize_t at) noexcept
