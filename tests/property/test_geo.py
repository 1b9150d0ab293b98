"""Distances and areas: the native formulas give the doubles of their twins, and filters what the twins say."""
from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from narsilpy import Narsil
from narsilpy._geo import distance
from tests.reference.geo import UNITS_M, haversine, in_polygon, vincenty

places = st.tuples(st.floats(-90, 90), st.floats(-180, 180)) | st.sampled_from(
    [(0.0, 0.0), (90.0, 0.0), (-90.0, 0.0), (0.0, 180.0), (0.0, -180.0), (51.5, -0.12), (-51.5, 179.88)])


@given(places, places)
def test_distances_equal_the_twins(a: tuple[float, float], b: tuple[float, float]) -> None:
    assert abs(distance(*a, *b) - haversine(*a, *b)) <= 1e-6
    assert abs(distance(*a, *b, True) - vincenty(*a, *b)) <= 1e-3
    assert abs(distance(*a, *b) - distance(*b, *a)) <= 1e-6


@given(st.lists(places, min_size=1, max_size=12), places, st.floats(0, 2e7), st.sampled_from(sorted(UNITS_M)),
       st.booleans(), st.booleans(), st.lists(places, max_size=5))
def test_areas_equal_the_twins(points: list[tuple[float, float]], centre: tuple[float, float], metres: float, unit: str,
                               exact: bool, inside: bool, corners: list[tuple[float, float]]) -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema={"at": "geopoint"})
    for number, (lat, lon) in enumerate(points):
        narsil.insert("docs", {"at": {"lat": lat, "lon": lon}}, str(number))
    narsil.insert("docs", {}, "nowhere")

    def found(name: str, operand: dict[str, Any]) -> set[str]:
        result = narsil.query("docs", filters={"fields": {"at": {name: {**operand, "inside": inside}}}}, limit=100)
        return {hit.id for hit in result}

    measure = vincenty if exact else haversine
    amount = metres / UNITS_M[unit]
    limit = amount * UNITS_M[unit]
    answer = found("radius", {"lat": centre[0], "lon": centre[1], "distance": amount, "unit": unit,
                              "high_precision": exact})
    for number, point in enumerate(points):
        far = measure(*centre, *point)
        if abs(far - limit) > 1e-2:     # on the very edge the last bit decides
            assert (str(number) in answer) == ((far <= limit) == inside)
    area = found("polygon", {"points": [{"lat": lat, "lon": lon} for lat, lon in corners]})
    assert area == {str(number) for number, point in enumerate(points) if in_polygon(*point, corners) == inside}
    assert "nowhere" not in answer | area
