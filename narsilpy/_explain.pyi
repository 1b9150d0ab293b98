from narsilpy._query import Query

def parts(
    query: Query, doc: int
) -> list[tuple[int, bool, int, int, int, int, int, float, int, float, float, float, float, float]]: ...
