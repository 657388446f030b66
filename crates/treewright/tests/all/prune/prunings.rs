//! Prunings against all prunings there are, on thousands of random trees.

use fastrand::Rng;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use treewright::cost::{Lambda, Penalty, Shape, SolutionValue};
use treewright::prune::{Aim, Method, MinCost, NodeCosts, Pruning, family, prune};
use treewright::tree::{Family, NodeId, Tree};

use crate::reference::prunings::{
    LongPenalty, Pruned, all_prunings, least_costs, leaves_in, unit_cost,
};
use crate::trees::{PrunableTree, random_tree};

const TREES: u64 = 3200;
const MOST_LEAVES: usize = 14;
const METHODS: [Method; 4] = [
    Method::Auto,
    Method::Additive,
    Method::Family,
    Method::Table,
];

/// A tree with all its prunings, and its number for messages.
struct Case {
    number: u64,
    subject: PrunableTree,
    prunings: Vec<Pruned>,
    /// The least cost for every number of leaves.
    least: Vec<SolutionValue>,
}

impl Case {
    fn new(number: u64, rng: &mut Rng) -> Self {
        let most_leaves = match number % 16 {
            0 => 1,
            1 | 2 => 5,
            _ => MOST_LEAVES,
        };
        let subject = random_tree(rng, most_leaves);
        let prunings = all_prunings(&subject.tree, &subject.costs);
        let least = least_costs(&prunings);
        Self {
            number,
            subject,
            prunings,
            least,
        }
    }

    /// What a failure needs to be repeated.
    fn story(&self) -> String {
        format!("tree {}: {}", self.number, self.subject)
    }

    fn prune(&self, penalty: &Penalty, aim: &Aim, method: Method) -> treewright::Result<Pruning> {
        let PrunableTree { tree, costs, .. } = &self.subject;
        prune(tree, costs, penalty, aim, method, u64::MAX)
    }

    fn family(&self, penalty: &Penalty, method: Method) -> treewright::Result<Family> {
        let PrunableTree { tree, costs, .. } = &self.subject;
        family(tree, costs, penalty, method, u64::MAX)
    }

    /// The tree must be a pruning with these figures; and the only such one, if it must be unique.
    fn check_tree(
        &self,
        tree: &Tree,
        value: SolutionValue,
        is_unique: bool,
        what: &dyn Fn() -> String,
    ) {
        let leaves = leaves_in(tree, &self.subject.tree);
        let leaves =
            leaves.unwrap_or_else(|| panic!("{}: not a pruning\n{}", what(), self.story()));
        let same = |pruned: &&Pruned| pruned.value() == value;
        let mut expected = self.prunings.iter().filter(same);
        assert!(
            expected.clone().any(|pruned| pruned.leaves == leaves),
            "{}: leaves {leaves:?} are not those of a pruning with {value:?}\n{}",
            what(),
            self.story()
        );
        assert_eq!(
            tree.n_leaves(),
            value.leaves,
            "{}\n{}",
            what(),
            self.story()
        );
        if is_unique {
            expected.next();
            assert!(
                expected.next().is_none(),
                "{}: another one too\n{}",
                what(),
                self.story()
            );
        }
    }

    /// The sum of the errors over the leaves of a tree.
    fn errors(&self, tree: &Tree) -> Option<f64> {
        let whole = &self.subject.tree;
        let leaves = leaves_in(tree, whole)?;
        Some(match self.subject.costs.errors() {
            // Those of the rows that the tree was learned from.
            None => leaves.iter().map(|&id| whole.errors(id)).sum(),
            Some(errors) => {
                let units = leaves.iter().map(|id| errors.values()[id.index()]);
                errors.number(units.sum())
            }
        })
    }
}

/// A penalty, and the same in long numbers.
struct BothPenalties {
    name: String,
    fast: Penalty,
    long: LongPenalty,
}

fn named_penalties(most_leaves: usize) -> Vec<BothPenalties> {
    let both = |name: &str, long| BothPenalties {
        name: name.into(),
        fast: name.parse().expect("the name of a penalty"),
        long,
    };
    vec![
        both("linear", LongPenalty::linear(most_leaves)),
        both("power:1", LongPenalty::linear(most_leaves)),
        both("sqrt", LongPenalty::power((1, 2), most_leaves)),
        both("log", LongPenalty::log(most_leaves)),
        both("power:0.8", LongPenalty::power((4, 5), most_leaves)),
        both("power:1.2", LongPenalty::power((6, 5), most_leaves)),
        both("power:1.5", LongPenalty::power((3, 2), most_leaves)),
        both("power:2", LongPenalty::power((2, 1), most_leaves)),
    ]
}

/// An additive, a concave, a convex and any rising table of decimals.
fn random_tables(rng: &mut Rng, most_leaves: usize) -> Vec<BothPenalties> {
    (0..4)
        .map(|kind| {
            let most = [3, 40, 2000][rng.usize(..3)];
            let mut rises: Vec<i64> = (0..most_leaves).map(|_| rng.i64(1..=most)).collect();
            match kind {
                0 => rises.fill(most),
                1 => rises.sort_by_key(|rise| -rise),
                2 => rises.sort_unstable(),
                _ => {}
            }
            let mut value = rng.i64(-2000..2000);
            let values: Vec<i64> = rises
                .iter()
                .map(|rise| {
                    value += rise;
                    value
                })
                .collect();
            let decimal = |value: &i64| {
                let sign = if *value < 0 { "-" } else { "" };
                format!("{sign}{}.{:03}", value.abs() / 1000, value.abs() % 1000)
            };
            let texts: Vec<String> = values.iter().map(decimal).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            BothPenalties {
                name: format!("table {}", texts.join(" ")),
                fast: Penalty::table(&texts).expect("the numbers rise"),
                long: LongPenalty::table(&values, 1000),
            }
        })
        .collect()
}

/// Can the method be used?
fn applies(method: Method, shape: Shape) -> bool {
    match method {
        Method::Auto | Method::Table => true,
        Method::Family => shape != Shape::Rising,
        Method::Additive => shape == Shape::Additive,
    }
}

fn parsed(text: &str) -> Lambda {
    text.parse().expect("a number that is not negative")
}

/// Weights without regard to the tree.
fn random_weights(rng: &mut Rng, case: &Case) -> Vec<Lambda> {
    let unit = unit_cost(case.subject.costs.scale());
    let ratio = |rng: &mut Rng| BigRational::new(rng.i64(1..60).into(), rng.i64(1..30).into());
    // In the order of magnitude of the costs, whatever that is.
    let spread = case.least[0].cost.max(1) / 8 + 1;
    vec![
        parsed("0"),
        parsed(&format!("{}e-3", rng.u32(..2000))),
        parsed(&format!("{}/{}", rng.u8(..50), rng.u8(1..9))),
        Lambda::new(ratio(rng) * &unit).expect("is positive"),
        Lambda::new(ratio(rng) * &unit * BigInt::from(spread)).expect("is positive"),
        parsed("1e200"),
    ]
}

/// Weights at which members meet, exact where the penalty is, and weights close to them on both sides.
fn meeting_weights(case: &Case, long: &LongPenalty, members: &[SolutionValue]) -> Vec<Lambda> {
    let mut weights = Vec::new();
    for (place, two) in members.windows(2).enumerate() {
        let exact = long.threshold(two[0], two[1], case.subject.costs.scale());
        weights.extend(neighbours(&exact, [55, 90, 200][place % 3]));
        if long.is_exact() {
            weights.push(exact);
        }
    }
    let lambda = |ratio| Lambda::new(ratio).expect("members fall in cost");
    weights.into_iter().map(lambda).collect()
}

/// A positive number cut off after this many bits, and the next such number.
fn neighbours(exact: &BigRational, bits: i64) -> [BigRational; 2] {
    let shift = bits - exact.numer().bits() as i64 + exact.denom().bits() as i64;
    let power = BigRational::from_integer(BigInt::from(2)).pow(shift as i32);
    let down = (exact * &power).floor();
    let up = &down + BigInt::one();
    [down / &power, up / power]
}

/// Every size: its least cost, and a pruning that has it.
fn check_least_costs(case: &Case) {
    let PrunableTree { tree, costs, .. } = &case.subject;
    let table = MinCost::new(costs, u64::MAX).unwrap();
    assert_eq!(table.values(), case.least, "{}", case.story());
    assert_eq!(table.most_leaves(), tree.n_leaves(), "{}", case.story());
    for leaves in 0..=tree.n_leaves() + 2 {
        let expected = case.least.iter().find(|value| value.leaves == leaves);
        let cost = expected.map(|value| value.cost);
        assert_eq!(table.cost(leaves), cost, "{leaves}, {}", case.story());
        let pruned = table.tree(tree, leaves);
        assert_eq!(pruned.is_some(), expected.is_some(), "{}", case.story());
        if let (Some(pruned), Some(&value)) = (pruned, expected) {
            case.check_tree(&pruned, value, false, &|| format!("least cost, {leaves}"));
        }
    }
    assert!(MinCost::new(costs, 7).is_err());
}

#[test]
fn least_costs_for_every_number_of_leaves() {
    for number in 0..TREES {
        check_least_costs(&Case::new(number, &mut Rng::with_seed(number)));
    }
}

/// One weight, all methods.
fn check_weight(case: &Case, both: &BothPenalties, lambda: &Lambda) {
    let PrunableTree { tree, costs, .. } = &case.subject;
    let shape = both.long.shape(tree.n_leaves());
    let best = both.long.best(&case.least, lambda.ratio(), costs.scale());
    for method in METHODS {
        // A long weight takes longer to print than all the rest.
        let what = || format!("{}, weight {lambda}, {method:?}", both.name);
        let result = case.prune(&both.fast, &Aim::Weight(lambda.clone()), method);
        if !applies(method, shape) {
            let is_refused = result.is_err();
            assert!(is_refused, "{} is taken: {}", what(), case.story());
            continue;
        }
        let pruning =
            result.unwrap_or_else(|error| panic!("{}: {error}\n{}", what(), case.story()));
        assert_eq!(pruning.value, best, "{}: {}", what(), case.story());
        case.check_tree(&pruning.tree, best, shape != Shape::Rising, &what);
        assert!(
            method == Method::Auto || pruning.method == method,
            "{}",
            what()
        );
    }
}

/// One penalty of a tree: the family, and single weights.
fn check_penalty(case: &Case, both: &BothPenalties, weights: &[Lambda]) {
    let members = both.long.members(&case.least);
    let shape = both.long.shape(case.subject.tree.n_leaves());
    let named = both.fast.shape(case.subject.tree.n_leaves());
    assert_eq!(named, shape, "{}, {}", both.name, case.story());
    let meeting = meeting_weights(case, &both.long, &members);
    for lambda in weights.iter().chain(&meeting) {
        check_weight(case, both, lambda);
    }
    for method in METHODS {
        let what = format!("{}, family, {method:?}", both.name);
        let result = case.family(&both.fast, method);
        if !applies(method, shape) {
            assert!(result.is_err(), "{what} must be refused: {}", case.story());
            continue;
        }
        let family = result.unwrap_or_else(|error| panic!("{what}: {error}\n{}", case.story()));
        assert_eq!(family.values(), members, "{what}: {}", case.story());
        for (place, &value) in members.iter().enumerate() {
            let tree = family.tree(place);
            case.check_tree(&tree, value, shape != Shape::Rising, &|| what.clone());
        }
        if method == Method::Auto || method == Method::Table {
            check_figures(case, &family, &what);
        }
        // All else follows from the members, which are the same for all methods.
        if method == Method::Auto {
            check_intervals(case, both, &family, &what);
            for lambda in weights.iter().chain(&meeting) {
                check_at(case, both, &family, lambda, &what);
            }
        }
    }
}

/// The figures of members are those of their trees.
fn check_figures(case: &Case, family: &Family, what: &str) {
    for (place, member) in family.members().iter().enumerate() {
        let value = family.values()[place];
        let errors = case.errors(&family.tree(place));
        assert_eq!(member.errors, errors, "{what}: {}", case.story());
        assert_eq!(member.leaves, value.leaves, "{what}: {}", case.story());
        let cost = family.scale().cost(value.cost);
        assert_eq!(member.cost, cost, "{what}: {}", case.story());
    }
}

/// The family says the same as the brute force does.
fn check_at(
    case: &Case,
    both: &BothPenalties,
    family: &Family,
    lambda: &Lambda,
    what: &str,
) -> usize {
    let place = family.at(lambda);
    let scale = case.subject.costs.scale();
    let best = both.long.best(&case.least, lambda.ratio(), scale);
    let found = family.values()[place];
    assert_eq!(found, best, "{what} at {lambda}: {}", case.story());
    place
}

/// Intervals follow each other without gaps, end at 0, and their ends as printed choose their member,
/// while two doubles less choose a larger one.
fn check_intervals(case: &Case, both: &BothPenalties, family: &Family, what: &str) {
    let story = || format!("{what}: {}", case.story());
    let all = family.members();
    let least = case.least.iter().map(|value| value.cost).min().unwrap();
    let cheapest = case.least.iter().find(|value| value.cost == least);
    assert_eq!(family.values()[0].leaves, 1, "{}", story());
    assert_eq!(family.values().last(), cheapest, "{}", story());
    assert_eq!(all[0].lambda_high, None, "{}", story());
    assert_eq!(all[all.len() - 1].lambda_low.unwrap(), 0.0, "{}", story());
    for (place, member) in all.iter().enumerate() {
        assert_eq!(*member, family.member(place), "{}", story());
        let printed = parsed(&format!("{}", member.lambda_low.unwrap()));
        let chosen = check_at(case, both, family, &printed, what);
        // A narrow interval may lie between the end and the double that stands for it.
        assert!(chosen <= place, "{place} at its end {printed}: {}", story());
        let Some(next) = all.get(place + 1) else {
            continue;
        };
        assert_eq!(
            next.lambda_high,
            Some(member.lambda_low.unwrap()),
            "{}",
            story()
        );
        assert!(next.lambda_low <= member.lambda_low, "{}", story());
        if place == 0 || all[place - 1].lambda_low > member.lambda_low {
            assert_eq!(chosen, place, "{printed}: {}", story());
        }
        let below = member.lambda_low.unwrap().next_down().next_down();
        let below = Lambda::try_from(below).expect("thresholds are not that small");
        let chosen = check_at(case, both, family, &below, what);
        assert!(chosen > place, "{place} below its end {below}: {}", story());
    }
    for leaves in 0..=case.subject.tree.n_leaves() + 1 {
        let expected = all.iter().rposition(|member| member.leaves <= leaves);
        assert_eq!(family.with_leaves(leaves), expected, "{}", story());
    }
}

#[test]
fn families_and_weights_of_named_penalties() {
    let penalties = named_penalties(MOST_LEAVES);
    for number in 0..TREES {
        let mut rng = Rng::with_seed(number);
        let case = Case::new(number, &mut rng);
        let weights = random_weights(&mut rng, &case);
        for both in &penalties {
            check_penalty(&case, both, &weights);
        }
    }
}

#[test]
fn families_and_weights_of_tables() {
    for number in 0..TREES {
        let mut rng = Rng::with_seed(number);
        let case = Case::new(number, &mut rng);
        let weights = random_weights(&mut rng, &case);
        let extra = rng.usize(..3);
        for both in random_tables(&mut rng, case.subject.tree.n_leaves() + extra) {
            check_penalty(&case, &both, &weights);
        }
    }
}

/// At most this many leaves.
fn check_leaves(case: &Case, penalty: &Penalty, leaves: usize) {
    let few = case.least.iter().filter(|value| value.leaves <= leaves);
    let expected = few.min_by_key(|value| (value.cost, value.leaves));
    for method in METHODS {
        let what = format!("at most {leaves} leaves, {method:?}");
        match (case.prune(penalty, &Aim::Leaves(leaves), method), expected) {
            (Ok(pruning), Some(&value)) if matches!(method, Method::Auto | Method::Table) => {
                assert_eq!(pruning.value, value, "{what}: {}", case.story());
                case.check_tree(&pruning.tree, value, false, &|| what.clone());
            }
            (Err(_), None) => {}
            (Err(_), _) if matches!(method, Method::Additive | Method::Family) => {}
            (result, _) => panic!("{what}: {result:?}\n{}", case.story()),
        }
    }
}

/// At most this cost.
fn check_cost(case: &Case, penalty: &Penalty, most: &BigRational) {
    let scale = case.subject.costs.scale();
    let unit = unit_cost(scale);
    let most = Lambda::new(most.clone()).expect("is not negative");
    // What is printed for a cost stands for it, also where it was rounded down.
    let cheap = |value: &&SolutionValue| {
        let printed: Lambda = scale.cost(value.cost).to_string().parse().expect("a cost");
        &unit * BigInt::from(value.cost) <= *most.ratio() || printed <= most
    };
    let expected = case.least.iter().find(cheap);
    for method in METHODS {
        let what = format!("cost at most {most}, {method:?}");
        match (
            case.prune(penalty, &Aim::MaxCost(most.clone()), method),
            expected,
        ) {
            (Ok(pruning), Some(&value)) if matches!(method, Method::Auto | Method::Table) => {
                assert_eq!(pruning.value, value, "{what}: {}", case.story());
                case.check_tree(&pruning.tree, value, false, &|| what.clone());
            }
            (Err(_), None) => {}
            (Err(_), _) if matches!(method, Method::Additive | Method::Family) => {}
            (result, _) => panic!("{what}: {result:?}\n{}", case.story()),
        }
    }
}

#[test]
fn single_prunings_for_a_number_of_leaves_or_a_cost() {
    for number in 0..TREES {
        let mut rng = Rng::with_seed(number);
        let case = Case::new(number, &mut rng);
        for leaves in 0..=case.subject.tree.n_leaves() + 2 {
            check_leaves(&case, &Penalty::Linear, leaves);
        }
        let unit = unit_cost(case.subject.costs.scale());
        let little = &unit * BigRational::new(BigInt::one(), BigInt::one() << 70);
        check_cost(&case, &Penalty::Linear, &BigRational::zero());
        for value in &case.least {
            let exact = &unit * BigInt::from(value.cost);
            check_cost(&case, &Penalty::Linear, &(&exact + &little));
            if value.cost > 0 {
                check_cost(&case, &Penalty::Linear, &(&exact - &little));
            }
            check_cost(&case, &Penalty::Linear, &exact);
        }
    }
}

/// Costs become units: whole ones stay, others are off by half a unit at most.
#[test]
fn costs_are_taken_as_they_are() {
    for number in 0..TREES {
        let case = Case::new(number, &mut Rng::with_seed(number));
        let PrunableTree {
            tree,
            costs,
            numbers,
        } = &case.subject;
        let is_whole = numbers
            .iter()
            .all(|number| number.fract() == 0.0 && *number < 1e15);
        // Not all that look whole are taken for it: impurities may be so by rounding.
        assert!(is_whole || !costs.is_whole(), "{}", case.story());
        let unit = BigRational::from_float(costs.scale().unit).unwrap();
        for id in tree.ids() {
            let number = BigRational::from_float(numbers[id.index()]).unwrap();
            let off = number - &unit * BigInt::from(costs.at(id));
            // Half a unit of rounding, and what makes up for the rounding of sums.
            let most = if is_whole {
                BigInt::zero()
            } else {
                BigInt::from(costs.at(id) >> 38) + BigInt::from(8)
            };
            let is_near = off.clone().max(-off) <= &unit * most;
            assert!(is_near, "node {}: {}", id.index(), case.story());
        }
        assert_eq!(costs.at(NodeId::ROOT), case.least[0].cost);
    }
}

#[test]
fn a_table_that_is_too_short_is_refused() {
    let mut rng = Rng::with_seed(1);
    let case = (0..100)
        .map(|number| Case::new(number, &mut rng))
        .find(|case| case.subject.tree.n_leaves() > 3)
        .expect("there are larger trees");
    let short = Penalty::table(&["1", "2", "4"]).unwrap();
    assert!(case.family(&short, Method::Auto).is_err());
    let aim = Aim::Weight(parsed("0.5"));
    assert!(case.prune(&short, &aim, Method::Auto).is_err());
}

/// `1e308[1e308 1e308]`: every cost is a number, but the sum over the leaves is none.
#[test]
fn strange_costs_are_refused() {
    let mut rng = Rng::with_seed(2);
    let tree = (0..100)
        .map(|_| random_tree(&mut rng, 3).tree)
        .find(|tree| tree.n_nodes() == 3)
        .expect("there are trees with one split");
    for (costs, weight) in [
        ([1e308, 1e308, 1e308], 1.0),
        ([1.0, f64::NAN, 1.0], 1.0),
        ([1.0, 1.0, -1.0], 1.0),
        ([1.0, 1.0, 1.0], 0.0),
        ([1.0, 1.0, 1.0], f64::INFINITY),
    ] {
        let taken = NodeCosts::new(&tree, &costs, None, weight);
        assert!(taken.is_err(), "{costs:?}, {weight}");
        let taken = NodeCosts::new(&tree, &[1.0; 3], Some(&costs), weight);
        assert!(taken.is_err(), "errors {costs:?}, {weight}");
    }
    let large = NodeCosts::new(&tree, &[1e308, 0.0, 1e308], None, 1.0).unwrap();
    assert!(large.scale().cost(large.at(NodeId::ROOT)) == 1e308);
}
