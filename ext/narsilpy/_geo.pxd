# Distances and areas on the earth. See _geo.pyx.
from libc.stdint cimport uint32_t

cdef struct Circle:
    double lat                  # degrees
    double lon
    double metres
    double south                # latitudes that the circle cannot leave
    double north
    bint exact                  # on the ellipsoid

cdef Circle circle_of(double lat, double lon, double metres, bint exact) noexcept nogil
cdef bint in_circle(const Circle* circle, double lat, double lon) noexcept nogil
cdef bint in_polygon(const double* corners, uint32_t n, double lat, double lon) noexcept nogil
