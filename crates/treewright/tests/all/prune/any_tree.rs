//! Anybody's tree, given by children and costs: against all its prunings, on thousands of random trees.

use fastrand::Rng;
use num_rational::BigRational;
use treewright::cost::{Lambda, Penalty, Scale, SolutionValue, lambda_low};
use treewright::prune::{Aim, CostTree, KeptNodes, Method};

use crate::reference::prunings::{LongPenalty, unit_cost};

const TREES: u64 = 4000;
const METHODS: [Method; 4] = [
    Method::Auto,
    Method::Additive,
    Method::Family,
    Method::Table,
];

/// A tree whose costs are whole numbers of hundredths.
struct Case {
    hundredths: Vec<i64>,
    tree: CostTree,
    /// All prunings: the kept nodes, and what they come to.
    prunings: Vec<(Vec<usize>, SolutionValue)>,
    /// The least cost for every number of leaves.
    least: Vec<SolutionValue>,
    story: String,
}

/// Nodes are numbered at random, but for the root. Some have a single child, some have many.
fn random_shape(rng: &mut Rng) -> Vec<Vec<i64>> {
    let most = rng.usize(1..=14);
    let mut parents = vec![0];
    let mut widths = vec![0];
    while parents.len() < most {
        let parent = rng.usize(..parents.len());
        // Slender trees, bushy ones, and nodes with a single child.
        if widths[parent] < rng.usize(1..=4) {
            widths[parent] += 1;
            parents.push(parent);
            widths.push(0);
        }
    }
    let mut numbers: Vec<usize> = (0..parents.len()).collect();
    rng.shuffle(&mut numbers[1..]);
    let mut children = vec![Vec::new(); parents.len()];
    for node in 1..parents.len() {
        children[numbers[parents[node]]].push(numbers[node] as i64);
    }
    children
}

fn random_costs(rng: &mut Rng, n_nodes: usize) -> Vec<i64> {
    let most = [1, 4, 30, 1000, 1 << 46][rng.usize(..5)];
    let step = [1, 10, 100][rng.usize(..3)];
    (0..n_nodes).map(|_| rng.i64(0..=most) * step).collect()
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let children = random_shape(&mut rng);
        let hundredths = random_costs(&mut rng, children.len());
        let costs: Vec<f64> = hundredths.iter().map(|&cost| decimal(cost)).collect();
        let tree = CostTree::new(&children, &costs).unwrap();
        let prunings = prunings_below(&children, &hundredths, 0);
        let most = prunings.iter().map(|(_, value)| value.leaves).max();
        let least = (1..=most.unwrap()).filter_map(|leaves| {
            let same = prunings.iter().filter(|(_, value)| value.leaves == leaves);
            let cost = same.map(|(_, value)| value.cost).min()?;
            Some(SolutionValue { cost, leaves })
        });
        Self {
            least: least.collect(),
            story: format!("tree {seed}: {children:?} {costs:?}"),
            hundredths,
            tree,
            prunings,
        }
    }

    /// The kept nodes must be those of a pruning with these figures.
    fn check_kept(&self, kept: &KeptNodes, expected: SolutionValue, what: &str) {
        let found = self.prunings.iter().find(|(nodes, _)| *nodes == kept.nodes);
        let (_, value) = found.unwrap_or_else(|| panic!("{what}: {kept:?}, {}", self.story));
        assert_eq!(*value, expected, "{what}: {kept:?}, {}", self.story);
        assert_eq!(kept.leaves, value.leaves, "{what}, {}", self.story);
        assert_eq!(kept.cost, decimal(value.cost), "{what}, {}", self.story);
    }
}

/// As a file has it.
fn decimal(hundredths: i64) -> f64 {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
        .parse()
        .unwrap()
}

fn prunings_below(
    children: &[Vec<i64>],
    costs: &[i64],
    node: usize,
) -> Vec<(Vec<usize>, SolutionValue)> {
    let (cost, leaves) = (costs[node], 1);
    let mut all = vec![(vec![node], SolutionValue { cost, leaves })];
    if children[node].is_empty() {
        return all;
    }
    let mut ways = vec![(vec![node], SolutionValue { cost: 0, leaves: 0 })];
    for &child in &children[node] {
        let below = prunings_below(children, costs, child as usize);
        let pairs = ways
            .iter()
            .flat_map(|way| below.iter().map(move |more| (way, more)));
        ways = pairs
            .map(|(way, more)| {
                let mut nodes = [&way.0[..], &more.0].concat();
                nodes.sort_unstable();
                let cost = way.1.cost + more.1.cost;
                let leaves = way.1.leaves + more.1.leaves;
                (nodes, SolutionValue { cost, leaves })
            })
            .collect();
    }
    all.extend(ways);
    all
}

fn penalties(rng: &mut Rng, most: usize) -> Vec<(Penalty, LongPenalty)> {
    let named = |name: &str, long| (name.parse().unwrap(), long);
    let mut value = 0;
    let rises = (0..most).map(|_| {
        value += rng.i64(1..40);
        value
    });
    let table: Vec<i64> = rises.collect();
    let texts: Vec<String> = table
        .iter()
        .map(|&value| decimal(value).to_string())
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    vec![
        named("linear", LongPenalty::linear(most)),
        named("sqrt", LongPenalty::power((1, 2), most)),
        named("power:0.8", LongPenalty::power((4, 5), most)),
        named("power:1.5", LongPenalty::power((3, 2), most)),
        named("log", LongPenalty::log(most)),
        (
            Penalty::table(&texts).unwrap(),
            LongPenalty::table(&table, 100),
        ),
    ]
}

fn random_weight(rng: &mut Rng, case: &Case, scale: Scale) -> Lambda {
    if rng.u8(..8) == 0 {
        return Lambda::zero();
    }
    let spread = case.hundredths.iter().max().unwrap() / 4 + 1;
    let ratio = BigRational::new((rng.i64(1..40) * spread).into(), rng.i64(1..30).into());
    Lambda::new(ratio * unit_cost(scale)).unwrap()
}

#[test]
fn prunings_and_families_for_every_penalty() {
    let scale = Scale::new(1.0, 100.0);
    for seed in 0..TREES {
        let case = Case::new(seed);
        let mut rng = Rng::with_seed(seed + TREES);
        for (penalty, long) in penalties(&mut rng, case.tree.n_leaves()) {
            for method in METHODS {
                let what = format!("{penalty} {method:?}");
                let lambda = random_weight(&mut rng, &case, scale);
                let best = long.best(&case.least, lambda.ratio(), scale);
                let aim = Aim::Weight(lambda);
                let Ok(kept) = case.tree.prune(&penalty, &aim, method, u64::MAX) else {
                    assert!(
                        matches!(method, Method::Additive | Method::Family),
                        "{what}"
                    );
                    continue;
                };
                case.check_kept(&kept, best, &what);
                let family = case.tree.family(&penalty, method, u64::MAX).unwrap();
                let members = long.members(&case.least);
                assert_eq!(
                    family.members.len(),
                    members.len(),
                    "{what}, {}",
                    case.story
                );
                let mut high = None;
                for (place, &value) in members.iter().enumerate() {
                    case.check_kept(&family.kept(place).unwrap(), value, &what);
                    let member = family.members[place];
                    let low = members.get(place + 1);
                    let low = low.map_or(0.0, |&next| lambda_low(value, next, &penalty, scale));
                    assert_eq!(member.leaves, value.leaves, "{what}, {}", case.story);
                    assert_eq!(member.cost, decimal(value.cost), "{what}, {}", case.story);
                    assert_eq!(member.lambda_low, low, "{what}, {}", case.story);
                    assert_eq!(member.lambda_high, high.replace(low), "{}", case.story);
                }
            }
        }
    }
}

#[test]
fn sizes_and_costs() {
    for seed in 0..TREES {
        let case = Case::new(seed);
        assert!(case.tree.is_exact(), "{}", case.story);
        let least = case.least.iter();
        let least: Vec<(usize, f64)> = least
            .map(|value| (value.leaves, decimal(value.cost)))
            .collect();
        assert_eq!(case.tree.least_costs(), least, "{}", case.story);
        let prune = |aim| {
            case.tree
                .prune(&Penalty::Linear, &aim, Method::Auto, u64::MAX)
        };
        for leaves in 1..=case.tree.n_leaves() + 1 {
            let few = case.least.iter().filter(|value| value.leaves <= leaves);
            let best = few.min_by_key(|value| (value.cost, value.leaves)).unwrap();
            case.check_kept(&prune(Aim::Leaves(leaves)).unwrap(), *best, "leaves");
        }
        for cost in &case.hundredths {
            let most: Lambda = decimal(*cost).to_string().parse().unwrap();
            let first = case.least.iter().find(|value| value.cost <= *cost);
            match (prune(Aim::MaxCost(most)), first) {
                (Ok(kept), Some(&value)) => case.check_kept(&kept, value, "cost"),
                (Err(_), None) => {}
                (found, _) => panic!("{found:?}, {cost}, {}", case.story),
            }
        }
    }
}

#[test]
fn what_is_no_tree_is_refused() {
    let tree = |children: &str, costs: &[f64]| {
        let children: Vec<Vec<i64>> = serde_json::from_str(children).unwrap();
        CostTree::new(&children, costs)
    };
    for (children, expected) in [
        ("[]", "there are no nodes"),
        (
            "[[1,3],[],[]]",
            "node 0 has child 3, but there are only nodes 0 to 2",
        ),
        (
            "[[1,-1],[],[]]",
            "node 0 has child -1, but there are only nodes 0 to 2",
        ),
        (
            "[[1,1],[],[]]",
            "node 0 has child 1, but it has this child already",
        ),
        (
            "[[1,2],[2],[]]",
            "node 1 has child 2, but that is a child of node 0 already",
        ),
        ("[[1],[0]]", "node 1 has child 0, but node 0 is the root"),
        (
            "[[1],[],[2]]",
            "node 2 has child 2, but no node is its own child",
        ),
        ("[[1],[],[3],[2]]", "node 2 is below itself"),
        ("[[1],[],[]]", "node 2 is nobody's child"),
    ] {
        let error = tree(children, &vec![1.0; children.matches('[').count() - 1]);
        let error = error.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}, expected {expected}");
    }
    for (costs, expected) in [
        (&[1.0, 2.0][..], "cost: 2 for 3 nodes"),
        (&[1.0, -1.0, 1.0], "cost: node 1 has -1"),
        (&[1.0, 1.0, f64::NAN], "cost: node 2 has NaN"),
        (&[f64::INFINITY, 1.0, 1.0], "cost: node 0 has inf"),
        (&[1e308, 1e308, 1e308], "not a finite number"),
    ] {
        let error = tree("[[1,2],[],[]]", costs).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}, expected {expected}");
    }
}

#[test]
fn costs_with_too_many_digits_are_rounded_and_say_so() {
    // What a program computed: 0.1 + 0.2 is not 0.3.
    let sum = CostTree::new(&[vec![1, 2], vec![], vec![]], &[0.1 + 0.2, 0.1, 0.2]).unwrap();
    assert!(!sum.is_exact());
    let family = sum.family(&Penalty::Linear, Method::Auto, u64::MAX);
    assert_eq!(family.unwrap().members.len(), 1);
    let third = 1.0 / 3.0;
    let costs = [1.0, third, 2.0 * third, third * 1e-9, third];
    let children = [vec![1, 2], vec![3, 4], vec![], vec![], vec![]];
    let tree = CostTree::new(&children, &costs).unwrap();
    assert!(!tree.is_exact());
    let aim = Aim::Weight(Lambda::zero());
    let kept = tree.prune(&Penalty::Linear, &aim, Method::Auto, u64::MAX);
    // No split gains more than rounding.
    assert_eq!(kept.unwrap().nodes, [0]);
}

/// A chain of single children is as deep as the file is long.
#[test]
fn long_chains_need_no_stack() {
    let n_nodes = 300_000;
    let mut children: Vec<Vec<i64>> = (1..n_nodes).map(|child| vec![child]).collect();
    children.push(Vec::new());
    let mut costs = vec![2.0; n_nodes as usize];
    costs[1000] = 1.5;
    let tree = CostTree::new(&children, &costs).unwrap();
    let aim = Aim::Leaves(1);
    let kept = tree.prune(&Penalty::Linear, &aim, Method::Auto, u64::MAX);
    let kept = kept.unwrap();
    assert_eq!((kept.nodes.len(), kept.leaves, kept.cost), (1001, 1, 1.5));
}
