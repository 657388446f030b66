"""The best trees of bounded depth, by trying all of them.

A second hand's reading of docs/algorithms/optimal.md: sets of rows are the bits of a number, every
split of every set is tried, and the least loss is kept for every number of leaves. No bounds, no
order of search, whole numbers only. Standard library only.
"""

from fractions import Fraction
from itertools import combinations
from math import lcm


def bits(mask):
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Table:
    """Rows as the program should read them. A cell is a number, a category, or None."""

    def __init__(self, kinds, columns, labels, weights, costs=None):
        kept = [row for row, weight in enumerate(weights) if weight > 0]
        self.kinds = kinds
        self.columns = [[column[row] for row in kept] for column in columns]
        self.weights = [Fraction(weights[row]) for row in kept]
        self.labels = [labels[row] for row in kept]
        self.classes = sorted(set(self.labels), key=order_of(self.labels))
        self.total = sum(self.weights)
        self.rows = len(kept)
        self.all = (1 << self.rows) - 1
        if costs is None:
            costs = {(true, said): true != said for true in labels for said in labels}
        losses = [
            [weight * Fraction(costs[true, said]) for said in self.classes]
            for weight, true in zip(self.weights, self.labels, strict=True)
        ]
        self.unit = lcm(*(loss.denominator for row in losses for loss in row))
        self.losses = [[int(loss * self.unit) for loss in row] for row in losses]
        self.whole = all(value.denominator == 1 for row in losses for value in row) and all(
            weight.denominator == 1 for weight in self.weights
        )

    def cost(self, loss):
        """Of a whole number of units, on the scale of the program."""
        return Fraction(loss, self.unit) / self.total

    def wrong(self, mask, said):
        return sum(self.weights[row] for row in bits(mask) if self.labels[row] != said)

    def losses_of(self, mask):
        """What each label costs as the answer of a leaf."""
        columns = zip(*(self.losses[row] for row in bits(mask)), strict=True)
        return [sum(column) for column in columns]


def order_of(labels):
    """Numbers come by size if all are numbers, other labels by code point."""
    try:
        numbers = {label: float(label) for label in labels}
    except ValueError:
        return lambda label: label
    return lambda label: (numbers[label], label)


class Rules:
    """Which trees there are. `hides[f]` has the features that are never asked below `f`."""

    def __init__(self, n_features, intervals, splits, min_leaf=1, share=None):
        self.intervals, self.splits = intervals, splits
        self.min_leaf, self.share = min_leaf, share
        self.least_weight = Fraction(0)
        self.hides = [0] * n_features
        self.every = (1 << n_features) - 1

    def interactions(self, groups):
        for group in groups:
            for one in group:
                for other in set(group) - {one}:
                    self.hides[one] |= 1 << other

    def root_only(self, features):
        for feature in features:
            for above in range(len(self.hides)):
                self.hides[above] |= 1 << feature

    def not_above(self, pairs):
        for above, below in pairs:
            self.hides[above] |= 1 << below


class BestTrees:
    """The least loss of all trees, for every number of leaves."""

    def __init__(self, table, rules):
        self.table, self.rules = table, rules
        self.leaves, self.solved, self.parts = {}, {}, {}

    def least(self, depth):
        """{leaves: loss} of all trees of at most this depth; one leaf is always allowed."""
        everything = self.table.all
        found = dict(self.solve(everything, min(depth, self.table.rows), self.rules.every))
        found[1] = min(self.table.losses_of(everything))
        return found

    def leaf(self, mask):
        """The loss of a leaf, or None if there may be no such leaf."""
        if mask not in self.leaves:
            self.leaves[mask] = self.leaf_anew(mask)
        return self.leaves[mask]

    def leaf_anew(self, mask):
        table, rules = self.table, self.rules
        if mask.bit_count() < rules.min_leaf:
            return None
        losses = table.losses_of(mask)
        weight = sum(table.weights[row] for row in bits(mask)) if rules.least_weight else 0
        if weight < rules.least_weight:
            return None
        label = losses.index(min(losses))
        if rules.share is not None and not self.is_sure(mask, table.classes[label]):
            return None
        return losses[label]

    def is_sure(self, mask, label):
        weight = sum(self.table.weights[row] for row in bits(mask))
        return weight - self.table.wrong(mask, label) >= self.rules.share * weight

    def solve(self, mask, depth, allowed):
        """{leaves: loss} for these rows; the features of `allowed` may still be asked."""
        key = mask, depth, allowed
        if key in self.solved:
            return self.solved[key]
        found = {}
        loss = self.leaf(mask)
        if loss is not None:
            found[1] = loss
        if depth > 0:
            for feature in bits(allowed):
                self.split(mask, depth, allowed, feature, found)
        self.solved[key] = found
        return found

    def split(self, mask, depth, allowed, feature, found):
        below = allowed & ~self.rules.hides[feature]
        for branches in self.last_splits(mask, feature):
            losses = [self.leaf(branch) for branch in branches]
            if None not in losses:
                keep(found, len(branches), sum(losses))
        if depth == 1:
            return
        for branches in self.upper_splits(mask, feature):
            sums = {0: 0}
            for branch in branches:
                sums = add(sums, self.solve(branch, depth - 1, below))
            for leaves, loss in sums.items():
                keep(found, leaves, loss)

    def values(self, mask, feature):
        """The rows of each value, by rising value, and the rows without one."""
        key = mask, feature
        if key not in self.parts:
            column = self.table.columns[feature]
            rows = {}
            for row in bits(mask):
                rows[column[row]] = rows.get(column[row], 0) | 1 << row
            missing = rows.pop(None, 0)
            self.parts[key] = [rows[value] for value in sorted(rows)], missing
        return self.parts[key]

    def last_splits(self, mask, feature):
        """All splits of which the branches may be leaves."""
        parts, missing = self.values(mask, feature)
        most = self.rules.intervals
        if self.table.kinds[feature] == "n":
            found = runs(parts, most)
        elif self.rules.splits == "grouped":
            found = groups(parts, max(most, 2))
        else:
            found = self.categories(parts, missing)
        return with_missing(found, missing)

    def upper_splits(self, mask, feature):
        """All splits of which the branches may be split again."""
        parts, missing = self.values(mask, feature)
        if self.table.kinds[feature] == "n":
            return with_missing(runs(parts, 2), missing)
        return with_missing(self.categories(parts, missing), missing)

    def categories(self, parts, missing):
        if self.rules.splits == "multiway":
            yield list(parts)
            return
        whole = sum(parts)
        if parts and missing:
            yield [whole]
        if len(parts) > 1:
            for part in parts:
                yield [part, whole ^ part]


def with_missing(found, missing):
    """A split has two branches at least; the rows without a value have their own."""
    for branches in found:
        together = branches + [missing] if missing else branches
        if len(together) > 1 and branches:
            yield together


def runs(parts, most):
    """The parts in their order, as one interval or up to `most`."""
    for count in range(1, min(most, len(parts)) + 1):
        for cuts in combinations(range(1, len(parts)), count - 1):
            ends = [0, *cuts, len(parts)]
            yield [sum(parts[a:b]) for a, b in zip(ends, ends[1:], strict=False)]


def groups(parts, most):
    """All ways to put the parts into up to `most` groups."""
    if not parts:
        return
    found = [[parts[0]]]
    for part in parts[1:]:
        longer = []
        for way in found:
            for place in range(len(way)):
                longer.append(way[:place] + [way[place] | part] + way[place + 1 :])
            if len(way) < most:
                longer.append(way + [part])
        found = longer
    yield from found


def keep(found, leaves, loss):
    if leaves not in found or loss < found[leaves]:
        found[leaves] = loss


def add(one, other):
    sums = {}
    for leaves, loss in one.items():
        for more, further in other.items():
            keep(sums, leaves + more, loss + further)
    return sums


def falling(found):
    """The sizes whose least loss is below that of fewer leaves."""
    kept = {}
    for leaves in sorted(found):
        if not kept or found[leaves] < min(kept.values()):
            kept[leaves] = found[leaves]
    return kept
