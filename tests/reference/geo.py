"""Distances and areas on the earth, for geo filters."""
from __future__ import annotations

import math
from collections.abc import Sequence

EARTH_RADIUS_M = 6_371_008.8        # mean radius (IUGG)
UNITS_M = {"m": 1.0, "km": 1_000.0, "mi": 1_609.344}

# The WGS 84 ellipsoid, for Vincenty's formulae.
_A, _F = 6_378_137.0, 1 / 298.257223563
_B = _A * (1 - _F)


def haversine(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Metres along a great circle.

    >>> round(haversine(51.5, -0.12, 48.85, 2.35) / 1000)
    343
    """
    p1, p2 = math.radians(lat1), math.radians(lat2)
    h = (math.sin((p2 - p1) / 2) ** 2
         + math.cos(p1) * math.cos(p2) * math.sin(math.radians(lon2 - lon1) / 2) ** 2)
    return 2 * EARTH_RADIUS_M * math.asin(min(1.0, math.sqrt(h)))


def vincenty(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Metres on the WGS 84 ellipsoid (Vincenty 1975, inverse); the great circle where it does not converge.

    >>> round(vincenty(51.5, -0.12, 48.85, 2.35) / 1000)
    343
    """
    u1, u2 = math.atan((1 - _F) * math.tan(math.radians(lat1))), math.atan((1 - _F) * math.tan(math.radians(lat2)))
    span = lam = math.radians(lon2 - lon1)
    s1, c1, s2, c2 = math.sin(u1), math.cos(u1), math.sin(u2), math.cos(u2)
    for _ in range(200):
        sin_sigma = math.hypot(c2 * math.sin(lam), c1 * s2 - s1 * c2 * math.cos(lam))
        if sin_sigma == 0:
            return 0.0
        cos_sigma = s1 * s2 + c1 * c2 * math.cos(lam)
        sigma = math.atan2(sin_sigma, cos_sigma)
        sin_alpha = c1 * c2 * math.sin(lam) / sin_sigma
        cos2_alpha = 1 - sin_alpha ** 2
        cos_2m = cos_sigma - 2 * s1 * s2 / cos2_alpha if cos2_alpha else 0.0
        c = _F / 16 * cos2_alpha * (4 + _F * (4 - 3 * cos2_alpha))
        before = lam
        lam = span + (1 - c) * _F * sin_alpha * (
            sigma + c * sin_sigma * (cos_2m + c * cos_sigma * (2 * cos_2m ** 2 - 1)))
        if abs(lam - before) < 1e-12:
            k = cos2_alpha * (_A ** 2 - _B ** 2) / _B ** 2
            a = 1 + k / 16384 * (4096 + k * (-768 + k * (320 - 175 * k)))
            b = k / 1024 * (256 + k * (-128 + k * (74 - 47 * k)))
            delta = b * sin_sigma * (cos_2m + b / 4 * (
                cos_sigma * (2 * cos_2m ** 2 - 1)
                - b / 6 * cos_2m * (4 * sin_sigma ** 2 - 3) * (4 * cos_2m ** 2 - 3)))
            return _B * a * (sigma - delta)
    return haversine(lat1, lon1, lat2, lon2)


def in_polygon(lat: float, lon: float, points: Sequence[tuple[float, float]]) -> bool:
    """Whether a point lies in a polygon of (lat, lon) corners, by the even-odd rule; fewer than 3 contain nothing.

    >>> in_polygon(1, 1, [(0, 0), (0, 2), (2, 2), (2, 0)]), in_polygon(3, 1, [(0, 0), (0, 2), (2, 2), (2, 0)])
    (True, False)
    """
    inside = False
    if len(points) < 3:
        return False
    lat1, lon1 = points[-1]
    for lat2, lon2 in points:
        if (lat2 > lat) != (lat1 > lat) and lon < (lon1 - lon2) * (lat - lat2) / (lat1 - lat2) + lon2:
            inside = not inside
        lat1, lon1 = lat2, lon2
    return inside
