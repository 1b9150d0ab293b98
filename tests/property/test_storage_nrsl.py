"""`.nrsl`: reading what was written gives the same model, and no byte can do worse than a typed error."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from narsilpy.errors import NarsilError
from narsilpy.storage import nrsl

names = st.text("abcß_", min_size=1, max_size=4)
ids = st.text(st.characters(exclude_categories=(), exclude_characters="\0"), min_size=1, max_size=6)
values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text()
    | st.text("\ud800\udfffa"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
TYPES: dict[str, st.SearchStrategy[Any]] = {
    "string": st.text(),
    "string[]": st.lists(st.text(), max_size=3),
    "number": st.integers(-(2**60), 2**60) | st.floats(allow_nan=False),
    "number[]": st.lists(st.integers(-9, 9) | st.floats(allow_nan=False), max_size=3),
    "boolean": st.booleans(),
    "boolean[]": st.lists(st.booleans(), max_size=3),
    "enum": st.text(max_size=3),
    "enum[]": st.lists(st.text(max_size=3), max_size=3),
    "geopoint": st.fixed_dictionaries({"lat": st.floats(-90, 90), "lon": st.floats(-180, 180)}),
}


@st.composite
def indexes(draw: st.DrawFn) -> nrsl.IndexData:
    flat = draw(st.dictionaries(names, st.sampled_from(sorted(TYPES)), min_size=1, max_size=5))
    schema: dict[str, Any] = {**flat, "nested": {"inner": "number", "text": "string"}}
    builder = nrsl.IndexBuilder(
        draw(names),
        schema,
        track_positions=draw(st.booleans()),
        language=draw(st.sampled_from(["english", "german"])),
        stop_words=draw(st.none() | st.lists(names, unique=True)),
        bm25=draw(st.none() | st.just({"k1": 1.5, "b": 0.25})),
        strict=draw(st.none() | st.booleans()),
        required=draw(st.none() | st.just(sorted(flat)[:1])),
        surface_forms=draw(st.booleans()),
        settings=draw(st.just({}) | st.just({"defaultScoring": "dfs"})),
    )
    for doc_id in draw(st.lists(ids, unique=True, max_size=5)):
        document = {field: draw(TYPES[kind]) for field, kind in flat.items() if draw(st.booleans())}
        document["extra"] = draw(values)
        document["nested"] = {"inner": draw(st.integers(0, 9)), "text": draw(st.text())}
        tokens = {
            field: sorted(
                draw(st.lists(st.tuples(names, st.integers(0, 70_000)), max_size=5)), key=lambda token: token[1]
            )
            for field in [
                *(f for f, kind in flat.items() if kind.startswith("string") and f in document),
                "nested.text",
            ]
        }
        builder.add(doc_id, document, tokens, draw(st.lists(st.tuples(names, names), max_size=2)))
    return builder.finish()


@given(indexes())
def test_a_snapshot_reads_back_as_it_was(index: nrsl.IndexData) -> None:
    data = nrsl.write_snapshot(index)
    assert nrsl.read_snapshot(data) == index
    assert nrsl.write_snapshot(nrsl.read_snapshot(data)) == data


@given(indexes(), st.booleans(), st.booleans())
def test_a_partition_file_reads_back_as_it_was(index: nrsl.IndexData, compress: bool, checksum: bool) -> None:
    partition = index.partitions[0]
    data = nrsl.write_partition_file(partition, compress=compress, checksum=checksum)
    back = nrsl.read_partition_file(data)
    if not any(postings.doc_ids for postings in partition.terms.values()) or partition.terms == back.terms:
        assert back == partition
    assert nrsl.read_partition(nrsl.write_partition(partition)) == partition
    assert nrsl.write_partition_file(back, compress=compress, checksum=checksum) == data


@given(indexes())
def test_the_snapshot_tier_reads_back_as_it_was(index: nrsl.IndexData) -> None:
    index.bm25 = index.bm25 or {"k1": 1.2, "b": 0.75}
    index.settings = {}
    assert nrsl.read_directory(nrsl.write_directory_files(index), index.name) == index


@given(indexes(), st.data())
def test_a_changed_byte_of_a_checked_file_is_an_error_or_changes_nothing(
    index: nrsl.IndexData, data: st.DataObject
) -> None:
    partition = index.partitions[0]
    original = nrsl.write_partition_file(partition, compress=data.draw(st.booleans()))
    mutated = bytearray(original)
    at = data.draw(st.integers(0, len(mutated) - 1))
    mutated[at] ^= data.draw(st.integers(1, 255))
    try:
        read = nrsl.read_partition_file(mutated)
    except NarsilError:
        return
    except_for_flags = {4, 5, 6, 7, 12, 13, *range(18, 32)}  # versions, flag bits, reserved: the payload is untouched
    assert at in except_for_flags
    assert read == nrsl.read_partition_file(original)


@given(indexes(), st.data())
def test_unchecked_bytes_give_data_or_a_typed_error(index: nrsl.IndexData, data: st.DataObject) -> None:
    for write, read in (
        (lambda: nrsl.write_partition_file(index.partitions[0], checksum=False), nrsl.read_partition_file),
        (lambda: nrsl.write_partition(index.partitions[0]), nrsl.read_partition),
        (lambda: nrsl.write_snapshot(index), nrsl.read_snapshot),
    ):
        mutated = bytearray(write())
        for _ in range(3):
            at = data.draw(st.integers(0, len(mutated) - 1))
            mutated[at] = data.draw(st.integers(0, 255))
        end = data.draw(st.integers(0, len(mutated)))
        for candidate in (mutated, mutated[:end]):
            try:
                read(candidate)
            except NarsilError:
                pass


@given(st.binary())
def test_any_bytes_give_a_typed_error(data: bytes) -> None:
    for read in (nrsl.read_partition_file, nrsl.read_partition, nrsl.read_snapshot):
        try:
            read(data)
        except NarsilError:
            continue
        raise AssertionError("random bytes were taken for an index")
