"""What `fit optimal` and `path optimal` say about a table, held against all of its trees."""

import json
import math
import subprocess
from fractions import Fraction

from best_trees import BestTrees, falling
from printed_tree import CLOSE, Walk, expect, expect_close

PATIENCE = 60


class Comparison:
    def __init__(self, program, case):
        self.program, self.case = program, case
        self.table = case.table()
        self.rules = case.rules(self.table)
        self.trees = BestTrees(self.table, self.rules)
        self.least = self.trees.least(case.depth)
        self.best = falling(self.least)
        self.commands = 0

    def run(self, *arguments):
        line = [self.program, *arguments, "--json", "--quiet"]
        self.line = " ".join(map(str, line))
        self.commands += 1
        done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE)
        expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout) if done.stdout else None

    def cost(self, leaves):
        return self.table.cost(self.best[leaves])

    # One tree

    def fit(self, *options, penalty=None, most=None, stopped=False):
        """`penalty(leaves)` is what is added to the cost; `most` are the leaves of --leaves."""
        model = self.run("fit", "optimal", *self.case.options(), *options)
        self.check_model(model, penalty, most, stopped)
        return model

    def take_out(self, *options, penalty=None, most=None):
        """A tree out of the family that `path` has written."""
        family = self.case.folder / "family.json"
        model = self.run("prune", str(family), *options)
        self.check_model(model, penalty, most, False)
        return model

    def check_model(self, model, penalty, most, stopped):
        found = Walk(self.trees, self.case.depth, model).tree(model["nodes"])
        leaves, loss, errors, depth = found
        training, certificate = model["training"], model["certificate"]
        slack = certificate.get("tolerance", 0)
        cost = self.table.cost(loss)
        expect_close(training["cost"], cost, CLOSE, "training.cost")
        expect_close(training["errors"], errors, CLOSE, "training.errors")
        for name, value in [("leaves", leaves), ("depth", depth), ("rows", self.table.rows)]:
            expect(training[name] == value, f"training.{name} is {training[name]}, found {value}")
        price = penalty or (lambda _leaves: 0)
        expect_close(certificate["objective"], cost + price(leaves), CLOSE, "objective")
        sizes = [size for size in self.best if most is None or size <= most]
        expect(most is None or leaves <= most, f"{leaves} leaves")
        values = {size: self.cost(size) + price(size) for size in sizes}
        least = min(values.values())
        self.judge(certificate, cost + price(leaves), least, slack, stopped)
        if certificate["optimal"]:
            is_exact = isinstance(least, Fraction) and certificate["exact"]
            margin = 0 if is_exact else 1e-15
            fewest = min(size for size in sizes if values[size] - least <= margin)
            if certificate["fewest_leaves"]:
                expect(leaves == fewest, f"{leaves} leaves, {fewest} are enough")
            else:
                expect(not certificate["exact"] or stopped, "fewest_leaves is not claimed")

    def judge(self, certificate, objective, least, slack, stopped):
        low, high = certificate["lower_bound"], certificate["objective"]
        margin = slack + CLOSE * max(1, abs(float(least)))
        gap = 0 if high == low else min(1, (high - low) / abs(high))
        expect_close(certificate["gap"], gap, CLOSE, "gap")
        expect(certificate["optimal"] == (low == high), f"optimal with {low!r} and {high!r}")
        expect(
            low <= float(least) + margin, f"lower bound {low!r}, but {float(least)!r} is reached"
        )
        expect(
            float(objective) >= float(least) - margin, f"cheaper than possible: {float(objective)}"
        )
        expect(not certificate["exact"] or self.table.whole, "exact, but weights are not whole")
        # A tolerance that is large for the objective is subtracted from the bound.
        if not stopped and slack <= 1e-6 * abs(high):
            expect(certificate["optimal"], "not proven, and not stopped")
        if certificate["optimal"]:
            expect(
                abs(float(objective) - float(least)) <= margin,
                f"{high!r}, but {float(least)!r} is possible",
            )
            if certificate["exact"] and isinstance(least, Fraction):
                expect(objective == least, "not the least")

    # All sizes

    def path(self, *options, penalty=None, stopped=False):
        """`penalty(leaves)` is that of the thresholds."""
        family = self.run("path", "optimal", *self.case.options(), *options)
        walk = Walk(self.trees, self.case.depth, family)
        certificate, members = family["certificate"], family["members"]
        slack = certificate.get("tolerance", 0)
        stops = any("lower_bound" in member for member in members)
        expect(stopped or not stops, "bounds, and not stopped")
        for member in members:
            leaves, loss, errors, _ = walk.tree(member["nodes"])
            expect(
                member["leaves"] == leaves, f"member with {member['leaves']} has {leaves} leaves"
            )
            expect_close(member["cost"], self.table.cost(loss), CLOSE, f"cost of {leaves} leaves")
            expect_close(member["errors"], errors, CLOSE, f"errors of {leaves} leaves")
            least = self.table.cost(min(self.best[s] for s in self.best if s <= leaves))
            if stops:
                bound = member["lower_bound"]
                expect(bound <= float(least) + slack + CLOSE, f"bound {bound!r} of {leaves} leaves")
                expect(bound <= member["cost"] + slack, f"bound above the cost of {leaves} leaves")
        sizes = [member["leaves"] for member in members]
        if stops:
            return family
        expect(sizes == list(self.best), f"members {sizes}, expected {list(self.best)}")
        for member in members:
            expect_close(member["cost"], self.cost(member["leaves"]), slack, "cost of a member")
        expect(certificate["exact_down_to"] == 0, "exact_down_to")
        self.thresholds(members, penalty or Fraction)
        return family

    def thresholds(self, members, penalty):
        """A threshold is rounded up."""
        hull = self.hull(penalty)
        found = {member["leaves"]: member for member in members}
        for leaves in set(found) - set(hull):
            both = found[leaves]["lambda_low"], found[leaves]["lambda_high"]
            expect(both == (None, None), f"{leaves} leaves are best for no weight, but {both}")
        for place, leaves in enumerate(hull):
            low, high = found[leaves]["lambda_low"], found[leaves]["lambda_high"]
            last = place + 1 == len(hull)
            exact = Fraction(0) if last else self.slope(leaves, hull[place + 1], penalty)
            self.threshold(low, exact, f"lambda_low of {leaves} leaves")
            above = None if place == 0 else found[hull[place - 1]]["lambda_low"]
            expect(high == above, f"lambda_high of {leaves} leaves is {high!r}, not {above!r}")

    def hull(self, penalty):
        """The sizes on the lower hull of penalty and cost."""
        hull = []
        for leaves in self.best:
            while len(hull) > 1 and self.is_above(hull[-2], hull[-1], leaves, penalty):
                hull.pop()
            hull.append(leaves)
        return hull

    def is_above(self, fewer, between, more, penalty):
        """Is the one between best for no weight? With roots and logarithms that is not exact here."""
        first, second = self.slope(fewer, between, penalty), self.slope(between, more, penalty)
        return first <= second or (isinstance(first, float) and first <= second * (1 + CLOSE))

    def threshold(self, found, exact, name):
        expect(found is not None, f"{name} is missing")
        expect_close(found, exact, 1e-300, name)
        if isinstance(exact, Fraction) and self.table.whole:
            # Neither the number nor its text is below, so that both choose this member.
            up = float(exact)
            while min(Fraction(up), Fraction(repr(up))) < exact:
                up = math.nextafter(up, math.inf)
            expect(found == up, f"{name} is {found!r}, rounded up it is {up!r}")

    def slope(self, fewer, more, penalty):
        saved = self.cost(fewer) - self.cost(more)
        distance = penalty(more) - penalty(fewer)
        return saved / distance if isinstance(distance, Fraction) else float(saved) / distance
