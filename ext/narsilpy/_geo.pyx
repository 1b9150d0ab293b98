# Distances on the earth in metres, and points in polygons. No state; latitudes and longitudes enter in degrees.
#
# The sphere: haversine with the mean radius of the earth (IUGG: 6,371,008.8 m). The ellipsoid: Vincenty's inverse formula
# on WGS 84 (T. Vincenty, Survey Review 176, 1975), good to a millimetre; for nearly antipodal points it does not converge,
# and the sphere's distance stands in. A band of latitudes that a circle cannot leave is tested first: most points of a
# large collection end there. Polygons: the even-odd rule in the plane of latitude and longitude; an edge does not cross
# the 180th meridian. The formulas keep the order of operations of their twins in tests/reference/geo.py, so that both
# give the same doubles.
from libc.math cimport M_PI, asin, atan, atan2, cos, fabs, hypot, sin, sqrt, tan
from libc.stdint cimport uint32_t

cdef double EARTH = 6371008.8
cdef double MAJOR = 6378137.0
cdef double FLATTENING = 1.0 / 298.257223563
cdef double MINOR = 6378137.0 * (1.0 - 1.0 / 298.257223563)
cdef double SHORTEST_DEGREE = 110500.0      # metres: no degree of latitude of either model is shorter
cdef double RADIANS = M_PI / 180.0


cdef Circle circle_of(double lat, double lon, double metres, bint exact) noexcept nogil:
    cdef Circle circle
    circle.lat = lat
    circle.lon = lon
    circle.metres = metres
    circle.south = lat - metres / SHORTEST_DEGREE - 1e-9
    circle.north = lat + metres / SHORTEST_DEGREE + 1e-9
    circle.exact = exact
    return circle


cdef bint in_circle(const Circle* circle, double lat, double lon) noexcept nogil:
    if not circle.south <= lat <= circle.north:
        return False
    if circle.exact:
        return ellipsoid(circle.lat, circle.lon, lat, lon) <= circle.metres
    return sphere(circle.lat, circle.lon, lat, lon) <= circle.metres


cdef double sphere(double lat1, double lon1, double lat2, double lon2) noexcept nogil:
    cdef double p1 = lat1 * RADIANS, p2 = lat2 * RADIANS
    cdef double north = sin((p2 - p1) / 2), east = sin((lon2 - lon1) * RADIANS / 2)
    cdef double h = north * north + cos(p1) * cos(p2) * (east * east)
    return 2 * EARTH * asin(min(1.0, sqrt(h)))


cdef double ellipsoid(double lat1, double lon1, double lat2, double lon2) noexcept nogil:
    cdef double u1 = atan((1 - FLATTENING) * tan(lat1 * RADIANS)), u2 = atan((1 - FLATTENING) * tan(lat2 * RADIANS))
    cdef double s1 = sin(u1), c1 = cos(u1), s2 = sin(u2), c2 = cos(u2)
    cdef double span = (lon2 - lon1) * RADIANS, angle = span, before
    cdef double sin_s, cos_s, sigma, sin_a, cos2_a, cos_m, c, k, a, b
    cdef int _turn
    for _turn in range(200):
        sin_s = hypot(c2 * sin(angle), c1 * s2 - s1 * c2 * cos(angle))
        if sin_s == 0:
            return 0.0
        cos_s = s1 * s2 + c1 * c2 * cos(angle)
        sigma = atan2(sin_s, cos_s)
        sin_a = c1 * c2 * sin(angle) / sin_s
        cos2_a = 1 - sin_a * sin_a
        cos_m = cos_s - 2 * s1 * s2 / cos2_a if cos2_a != 0 else 0.0        # along the equator there is no middle
        c = FLATTENING / 16 * cos2_a * (4 + FLATTENING * (4 - 3 * cos2_a))
        before = angle
        angle = span + (1 - c) * FLATTENING * sin_a * (
            sigma + c * sin_s * (cos_m + c * cos_s * (2 * (cos_m * cos_m) - 1)))
        if fabs(angle - before) < 1e-12:
            k = cos2_a * (MAJOR * MAJOR - MINOR * MINOR) / (MINOR * MINOR)
            a = 1 + k / 16384 * (4096 + k * (-768 + k * (320 - 175 * k)))
            b = k / 1024 * (256 + k * (-128 + k * (74 - 47 * k)))
            return MINOR * a * (sigma - b * sin_s * (cos_m + b / 4 * (
                cos_s * (2 * (cos_m * cos_m) - 1)
                - b / 6 * cos_m * (4 * (sin_s * sin_s) - 3) * (4 * (cos_m * cos_m) - 3))))
    return sphere(lat1, lon1, lat2, lon2)


cdef bint in_polygon(const double* corners, uint32_t n, double lat, double lon) noexcept nogil:
    cdef uint32_t i
    cdef double lat1, lon1, lat2, lon2
    cdef bint inside = False
    if n < 3:
        return False
    lat1 = corners[2 * n - 2]
    lon1 = corners[2 * n - 1]
    for i in range(n):
        lat2 = corners[2 * i]
        lon2 = corners[2 * i + 1]
        if (lat2 > lat) != (lat1 > lat) and lon < (lon1 - lon2) * (lat - lat2) / (lat1 - lat2) + lon2:
            inside = not inside
        lat1 = lat2
        lon1 = lon2
    return inside


def distance(double lat1, double lon1, double lat2, double lon2, bint exact=False) -> float:
    """Metres between two places: along a great circle, or with `exact` on the WGS 84 ellipsoid.

    >>> round(distance(51.5, -0.12, 48.85, 2.35) / 1000), round(distance(51.5, -0.12, 48.85, 2.35, True) / 1000)
    (343, 343)
    """
    return ellipsoid(lat1, lon1, lat2, lon2) if exact else sphere(lat1, lon1, lat2, lon2)
