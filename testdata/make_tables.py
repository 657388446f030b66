"""Writes the bundled tables: `python3 testdata/make_tables.py [FOLDER]`.

Standard library only. The same seed gives the same files: all randomness goes through
`random.Random.random`, whose sequence Python keeps stable between versions, and all numbers are
rounded.
"""

import csv
import math
import random
import sys
from pathlib import Path

# Survivors of the Titanic by class, sex and age: (died, survived).
# The contingency table of Dawson (1995), also distributed with R as `Titanic`.
TITANIC = {
    ("1st", "male", "adult"): (118, 57),
    ("1st", "male", "child"): (0, 5),
    ("1st", "female", "adult"): (4, 140),
    ("1st", "female", "child"): (0, 1),
    ("2nd", "male", "adult"): (154, 14),
    ("2nd", "male", "child"): (0, 11),
    ("2nd", "female", "adult"): (13, 80),
    ("2nd", "female", "child"): (0, 13),
    ("3rd", "male", "adult"): (387, 75),
    ("3rd", "male", "child"): (35, 13),
    ("3rd", "female", "adult"): (89, 76),
    ("3rd", "female", "child"): (17, 14),
    ("crew", "male", "adult"): (670, 192),
    ("crew", "female", "adult"): (3, 20),
}


class Draw:
    """Random draws built on uniform numbers alone."""

    def __init__(self, seed):
        self.uniform01 = random.Random(seed).random

    def uniform(self, low, high):
        return low + (high - low) * self.uniform01()

    def bell(self, mean, deviation):
        """Close to a normal draw: twelve uniform numbers added up."""
        return mean + deviation * (sum(self.uniform01() for _ in range(12)) - 6.0)

    def chance(self, probability):
        return self.uniform01() < probability

    def one_of(self, items):
        return items[int(self.uniform01() * len(items))]


def titanic():
    yield ["class", "sex", "age", "survived"]
    for person, (died, survived) in TITANIC.items():
        for answer, count in (("no", died), ("yes", survived)):
            for _ in range(count):
                yield [*person, answer]


def rings():
    """Three rings around the origin, a noisy mixture of both coordinates, and pure noise."""
    draw = Draw(1995)
    yield ["x", "y", "tilt", "noise", "ring"]
    for row in range(600):
        ring = row % 3
        radius = draw.bell(1.0 + ring, 0.32)
        angle = draw.uniform(0.0, 2.0 * math.pi)
        x, y = radius * math.cos(angle), radius * math.sin(angle)
        tilt = 0.6 * x + 0.8 * y + draw.bell(0.0, 0.2)
        noise = draw.uniform(-1.0, 1.0)
        yield [f"{value:.3f}" for value in (x, y, tilt, noise)] + [
            ("inner", "middle", "outer")[ring]
        ]


def shop():
    """Orders of a shop: numbers and categories, with cells missing in four columns."""
    draw = Draw(2005)
    yield ["price", "items", "department", "payment", "rating", "days_to_ship", "returned"]
    departments = ["books", "clothes", "garden", "shoes", "toys"]
    payments = ["card", "invoice", "voucher"]
    for _ in range(400):
        department = draw.one_of(departments)
        payment = draw.one_of(payments)
        price = round(math.exp(draw.bell(3.2, 0.7)), 2)
        items = 1 + int(draw.uniform(0.0, 5.0) * draw.uniform(0.2, 1.0))
        rating = 1 + int(draw.uniform(0.0, 5.0))
        days = 1 + int(draw.uniform(0.0, 9.0))
        odds = -2.2 + 0.25 * (days - 4)
        odds += 1.8 if department in ("clothes", "shoes") else 0.0
        odds += 1.2 if payment == "invoice" else 0.0
        odds += 0.9 * (3 - rating)
        odds += 0.8 if price > 40.0 else 0.0
        returned = draw.chance(1.0 / (1.0 + math.exp(-odds)))
        cells = [f"{price:.2f}", str(items), department, payment, str(rating), str(days)]
        for column, share in ((2, 0.04), (3, 0.08), (4, 0.20), (5, 0.10)):
            if draw.chance(share):
                cells[column] = draw.one_of(["", "?"]) if column == 4 else ""
        yield [*cells, "yes" if returned else "no"]


def prices():
    """Flats and their rent: a number to predict."""
    draw = Draw(2010)
    yield ["area", "rooms", "floor", "district", "balcony", "rent"]
    by_district = {"centre": 19.5, "harbour": 17.0, "hills": 15.5, "north": 12.0}
    for _ in range(300):
        district = draw.one_of(list(by_district))
        rooms = 1 + int(draw.uniform(0.0, 5.0))
        area = round(draw.bell(14.0 + 19.0 * rooms, 6.0), 1)
        floor = int(draw.uniform(0.0, 7.0))
        balcony = draw.chance(0.4)
        rent = area * by_district[district] * (1.0 - 0.04 * min(rooms, 3))
        rent += 45.0 * balcony + (30.0 if floor >= 4 else -20.0 if floor == 0 else 0.0)
        rent += draw.bell(0.0, 45.0)
        cells = [f"{area:.1f}", rooms, floor, district, "yes" if balcony else "no", f"{rent:.2f}"]
        yield cells


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    for table in (titanic, rings, shop, prices):
        path = folder / f"{table.__name__}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(table())
        print(path)


if __name__ == "__main__":
    main()
