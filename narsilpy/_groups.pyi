from array import array

from narsilpy._columns import Column

def group_numbers(docs: array[int], columns: list[Column]) -> tuple[array[int], array[int]]: ...

class Pairs: ...
