"""The airline's baggage rules, the passenger's question, and the sentence that a model makes up."""
from __future__ import annotations

INDEX = "baggage_rules"
SCHEMA = {"title": "string", "body": "string"}

QUESTION = "May I take a folding pushchair along, or does it count as cabin baggage?"
SEARCH = "folding pushchair cabin baggage"
INVENTED = "A folding pushchair travels free of charge on every fare."

RULES = [
    {
        "id": "CB-04",
        "title": "Pushchairs and child seats",
        "body": "One folding pushchair and one child seat travel free of charge for each child under two, carried in "
        "the hold and collected at the baggage belt. A pushchair that does not fold is carried as hold baggage "
        "against the adult allowance.",
    },
    {
        "id": "CB-01",
        "title": "Cabin baggage allowance",
        "body": "Each passenger carries one cabin bag of up to 10 kilogrammes measuring 55 by 40 by 20 centimetres, "
        "along with one small personal item that fits under the seat in front.",
    },
    {
        "id": "CB-09",
        "title": "Musical instruments",
        "body": "A violin or a guitar in a soft case counts as the cabin bag. A larger instrument needs a seat of its "
        "own, booked before departure.",
    },
    {
        "id": "CB-12",
        "title": "Mobility equipment",
        "body": "A wheelchair, a walking frame, or a pair of crutches travels free of charge and counts against no "
        "allowance.",
    },
]
