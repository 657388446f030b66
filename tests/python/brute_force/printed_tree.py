"""Walks a tree of a model or family file: what it costs, and whether it is of the right kind."""

import math

from best_trees import bits

CLOSE = 1e-12


class Difference(Exception):
    """The program says something else than all trees together do."""


def expect(condition, message):
    if not condition:
        raise Difference(message)


def expect_close(found, exact, slack, name):
    """`found` was printed, `exact` is what it should be."""
    margin = slack + CLOSE * abs(float(exact))
    expect(abs(found - float(exact)) <= margin, f"{name} is {found!r}, expected {float(exact)!r}")


class Walk:
    """Sends the rows through the nodes of a file, and holds them against the rules."""

    def __init__(self, trees, depth, document):
        self.trees, self.table, self.rules = trees, trees.table, trees.rules
        self.limit = depth
        self.features = document["features"]
        self.classes = document["target"]["classes"]
        expect(self.classes == self.table.classes, f"classes {self.classes}")

    def tree(self, nodes):
        """(leaves, loss, errors, depth) of the tree."""
        self.nodes = nodes
        self.leaves = self.loss = self.errors = self.depth = 0
        self.node(0, self.table.all, 0, self.rules.every)
        return self.leaves, self.loss, self.errors, self.depth

    def node(self, at, mask, depth, allowed):
        node = self.nodes[at]
        expect(mask, f"node {at} has no rows")
        expect(depth <= self.limit, f"node {at} is too deep")
        self.check_counts(at, mask)
        if "split" not in node:
            self.leaf(at, mask, depth)
            return
        feature = node["split"]["feature"]
        expect(allowed >> feature & 1, f"node {at} asks a feature that may not be asked there")
        branches, missing = self.branches(at, node["split"], mask)
        expect(len(branches) + bool(missing) == len(node["children"]), f"children of node {at}")
        if missing:
            expect(node["missing"] == len(branches), f"node {at} has no branch for missing cells")
            branches.append(missing)
        else:
            heaviest = [sum(self.table.weights[row] for row in bits(branch)) for branch in branches]
            if self.table.whole:
                expect(node["missing"] == heaviest.index(max(heaviest)), f"missing of node {at}")
        below = allowed & ~self.rules.hides[feature]
        for child, branch in zip(node["children"], branches, strict=True):
            expect(child > at, f"child {child} of node {at}")
            self.node(child, branch, depth + 1, below)

    def check_counts(self, at, mask):
        for label, count in zip(self.classes, self.nodes[at]["counts"], strict=True):
            rows = [row for row in bits(mask) if self.table.labels[row] == label]
            expect_close(
                count, sum(self.table.weights[row] for row in rows), CLOSE, f"counts of node {at}"
            )
        losses = self.table.losses_of(mask)
        value = self.nodes[at]["value"]
        expect(losses[value] == min(losses), f"value of node {at}")
        if self.table.whole:
            expect(value == losses.index(min(losses)), f"value of node {at} on a tie")

    def leaf(self, at, mask, depth):
        value = self.nodes[at]["value"]
        if at > 0:
            expect(mask.bit_count() >= self.rules.min_leaf, f"leaf {at} has too few rows")
            sure = self.rules.share is None or self.trees.is_sure(mask, self.classes[value])
            expect(sure, f"leaf {at} is not sure of its class")
        self.leaves += 1
        self.loss += self.table.losses_of(mask)[value]
        self.errors += self.table.wrong(mask, self.classes[value])
        self.depth = max(self.depth, depth)

    def branches(self, at, split, mask):
        """The rows of each branch, if it is a split that the rules know."""
        feature = split["feature"]
        parts, missing = self.trees.values(mask, feature)
        column = self.table.columns[feature]
        children = self.nodes[at]["children"]
        all_leaves = all("split" not in self.nodes[child] for child in children)
        if split["kind"] == "intervals":
            expect(self.table.kinds[feature] == "n" and split["closed"] == "left", f"split of {at}")
            cuts = split["cuts"]
            expect(sorted(set(cuts)) == cuts, f"cuts of node {at}")
            found = [0] * (len(cuts) + 1)
            for row in bits(mask & ~missing):
                found[sum(cut <= column[row] for cut in cuts)] |= 1 << row
            self.check_middles(at, cuts, found, column)
            most = self.rules.intervals if all_leaves else 2
        else:
            codes = self.features[feature]["categories"]
            chosen = split["branches"]
            known = [branch for branch in chosen if branch is not None]
            found = [0] * (max(known) + 1)
            for row in bits(mask & ~missing):
                branch = chosen[codes.index(column[row])]
                expect(branch is not None, f"node {at} does not know a category")
                found[branch] |= 1 << row
            self.check_categories(at, parts, missing, found, all_leaves, len(known))
            most = len(found)
        expect(all(found) and len(found) <= most, f"node {at} has branches {found}")
        expect(len(found) + bool(missing) > 1, f"node {at} splits nothing")
        return found, missing

    def check_middles(self, at, cuts, found, column):
        for cut, below, above in zip(cuts, found, found[1:], strict=False):
            expect(below and above, f"a cut of node {at} divides nothing")
            low = max(column[row] for row in bits(below))
            high = min(column[row] for row in bits(above))
            middle = low / 2 + high / 2
            slack = 4 * math.ulp(max(abs(low), abs(high)))
            expect(low < cut <= high and abs(cut - middle) <= slack, f"cut {cut!r} of node {at}")

    def check_categories(self, at, parts, missing, found, all_leaves, known):
        expect(known == len(parts), f"node {at} sends categories somewhere that it does not have")
        splits = self.rules.splits
        if splits == "multiway":
            fits = sorted(found) == sorted(parts)
        else:
            single = len(found) == 2 and any(part in found for part in parts)
            fits = single or (len(found) == 1 and missing)
            if splits == "grouped" and all_leaves:
                fits = len(found) <= max(2, self.rules.intervals)
        expect(fits, f"categories of node {at}")
