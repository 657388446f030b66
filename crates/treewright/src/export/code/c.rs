//! The tree as one C file (C99) that needs only the standard library.
//!
//! `tree_predict` takes a `struct tree_row` and returns the class or the number; `tree_probabilities`
//! fills an array with one number for each class. NaN is a missing number, `NULL` a missing category; a
//! category that is not among those a node has seen counts as missing. Texts are UTF-8. A text with a
//! zero byte cannot be written and is refused. Nothing is allocated, nothing is shared between threads.

use std::fmt::Write;

use super::nested::{Code, Language, bracketed, float, push_line, refuse_zero_bytes, table};
use super::plan::{Test, costs, most_waiting, parts};
use crate::data::{Feature, FeatureKind};
use crate::error::{Result, printable};
use crate::export::show::condition::{Extent, quoted};
use crate::tree::{NodeId, Tree};

/// The tree as a C file.
pub fn c(tree: &Tree) -> Result<String> {
    refuse_zero_bytes(tree, "C")?;
    let code = Code::new(tree, C);
    let classes = tree.schema().classes();
    let mut text = String::from(
        "/* A decision tree, written by treewright.\n   \
         NaN is a missing number, NULL a missing category. */\n\n\
         #include <math.h>\n#include <string.h>\n\n",
    );
    push_row(&mut text, &code);
    if classes.is_empty() {
        text.push_str("double tree_predict(const struct tree_row *row);\n\n");
    } else {
        let _ = write!(
            text,
            "#define TREE_CLASSES {}\n\n\
             const char *tree_predict(const struct tree_row *row);\n\
             void tree_probabilities(const struct tree_row *row, double probabilities[TREE_CLASSES]);\n\n",
            classes.len()
        );
    }
    push_tables(&mut text, &code);
    if code
        .features()
        .any(|(feature, _)| !feature.categories().is_empty())
    {
        text.push_str(
            "\nstatic int is(const char *value, const char *category) {\n    \
             return value != NULL && strcmp(value, category) == 0;\n}\n",
        );
    }
    push_find(&mut text, &code);
    if code.shares {
        push_shares(&mut text, tree);
    }
    push_answers(&mut text, tree, code.shares);
    Ok(text)
}

struct C;

impl Language for C {
    const OR: &'static str = " || ";
    const IF: (&'static str, &'static str) = ("if (", ") {");
    const ELSE_IF: (&'static str, &'static str) = ("} else if (", ") {");
    const ELSE: &'static str = "} else {";
    const END: Option<&'static str> = Some("}");

    fn test(&self, feature: &Feature, name: &str, test: &Test) -> String {
        match test {
            Test::Missing => format!("isnan(row->{name})"),
            Test::Below { cut, included } => {
                let sign = if *included { "<=" } else { "<" };
                format!("row->{name} {sign} {}", float(*cut))
            }
            Test::OneOf(codes) => {
                let is = |code: &u32| {
                    let category = &feature.categories()[*code as usize];
                    format!("is(row->{name}, {})", string(category))
                };
                let tests: Vec<String> = codes.iter().map(is).collect();
                tests.join(" || ")
            }
        }
    }

    fn give(&self, node: Option<NodeId>) -> String {
        match node {
            Some(node) => format!("return {};", node.0),
            None => "return -1;".into(),
        }
    }

    fn remark(&self, text: &str) -> String {
        format!(" {}", comment(text))
    }
}

fn push_row(text: &mut String, code: &Code<'_, C>) {
    text.push_str("struct tree_row {\n");
    for (feature, name) in code.features() {
        let kind = match feature.kind {
            FeatureKind::Numeric => "double ",
            FeatureKind::Categorical(_) => "const char *",
        };
        let remark = comment(&quoted(&feature.name, Extent::Short));
        push_line(text, 1, &format!("{kind}{name}; {remark}"));
    }
    if code.inputs.is_empty() {
        push_line(text, 1, "char nothing; /* the tree asks no question */");
    }
    text.push_str("};\n\n");
}

fn push_tables(text: &mut String, code: &Code<'_, C>) {
    let tree = code.tree;
    let kind = if tree.schema().is_classification() {
        let classes: Vec<String> = tree.schema().classes().iter().map(|c| string(c)).collect();
        push_table(text, "char *const CLASSES[]", &classes);
        let distributions = code.distributions("{", "}");
        push_table(text, "double DISTRIBUTIONS[][TREE_CLASSES]", &distributions);
        "int"
    } else {
        "double"
    };
    text.push_str("/* What every node answers; nodes have the numbers of the model file. */\n");
    push_table(text, &format!("{kind} VALUES[]"), &code.values());
    if code.needs_steps() {
        let (first, number) = code.children();
        if code.shares {
            push_table(text, "int FIRST_CHILD[]", &first);
        }
        push_table(text, "int CHILDREN[]", &number);
    }
    if code.shares {
        text.push_str("/* The part of a shared row that every node takes from its parent. */\n");
        let parts: Vec<String> = parts(tree).iter().map(|&part| float(part)).collect();
        push_table(text, "double PARTS[]", &parts);
    }
    if let (true, Some(costs)) = (code.shares, costs(tree)) {
        text.push_str(
            "/* What it costs to answer a class (column) where another (row) is true. */\n",
        );
        let rows: Vec<String> = costs.iter().map(|row| bracketed(row, "{", "}")).collect();
        push_table(text, "double COSTS[][TREE_CLASSES]", &rows);
    }
}

fn push_table(text: &mut String, name: &str, entries: &[String]) {
    push_line(text, 0, &format!("static const {name} = {{"));
    text.push_str(&table(entries, 1));
    push_line(text, 0, "};");
}

fn push_find(text: &mut String, code: &Code<'_, C>) {
    if code.needs_steps() {
        text.push_str(
            "\n/* The child that a row goes to; -1 if it is shared among all of them. */\n\
             static int step(int node, const struct tree_row *row) {\n    switch (node) {\n",
        );
        for (id, branch) in code.branches() {
            push_line(text, 1, &format!("case {}:", id.0));
            text.push_str(&code.flat(branch, 2));
        }
        text.push_str("    default:\n        return -1;\n    }\n}\n");
    }
    text.push_str(if code.shares {
        "\n/* The leaf of a row; -1 if it is shared among several. */\n"
    } else {
        "\n/* The leaf of a row. */\n"
    });
    text.push_str("static int find(const struct tree_row *row) {\n");
    if code.nests {
        if code.inputs.is_empty() {
            push_line(text, 1, "(void)row;");
        }
        text.push_str(&code.nested(1));
    } else {
        text.push_str(
            "    int node = 0;\n    \
             while (node >= 0 && CHILDREN[node] > 0) {\n        \
             node = step(node, row);\n    }\n    return node;\n",
        );
    }
    text.push_str("}\n");
}

/// The walk over a row that reaches several leaves.
fn push_shares(text: &mut String, tree: &Tree) {
    let is_classification = tree.schema().is_classification();
    let (name, start, take) = if is_classification {
        (
            "void mix(const struct tree_row *row, double sums[TREE_CLASSES])",
            "    for (int i = 0; i < TREE_CLASSES; i++) {\n        sums[i] = 0.0;\n    }\n",
            "            for (int i = 0; i < TREE_CLASSES; i++) {\n                \
             volatile double term = at.share * DISTRIBUTIONS[at.node][i];\n                \
             sums[i] += term;\n            }\n",
        )
    } else {
        (
            "double mix(const struct tree_row *row)",
            "    double sum = 0.0;\n",
            "            volatile double term = at.share * VALUES[at.node];\n            \
             sum += term;\n",
        )
    };
    // Products are stored before they are added, or a compiler may add without rounding in between.
    let _ = write!(
        text,
        "
/* The mixture of the leaves that a row reaches, from left to right. Terms are volatile so that every
   compiler rounds them. */
static {name} {{
    struct {{ int node; double share; }} waiting[{most}], at;
    int n = 1;
{start}    waiting[0].node = 0;
    waiting[0].share = 1.0;
    while (n > 0) {{
        at = waiting[--n];
        if (CHILDREN[at.node] == 0) {{
{take}            continue;
        }}
        int child = step(at.node, row);
        if (child >= 0) {{
            waiting[n].node = child;
            waiting[n++].share = at.share;
            continue;
        }}
        for (int i = CHILDREN[at.node] - 1; i >= 0; i--) {{
            child = FIRST_CHILD[at.node] + i;
            if (PARTS[child] > 0.0) {{
                waiting[n].node = child;
                waiting[n++].share = at.share * PARTS[child];
            }}
        }}
    }}
",
        most = most_waiting(tree)
    );
    text.push_str(if is_classification {
        "}\n"
    } else {
        "    return sum;\n}\n"
    });
    if !is_classification {
        return;
    }
    text.push_str(
        "
/* The class of least expected cost, the first of equal ones. */
static int best(const double sums[TREE_CLASSES]) {
    int best = 0;
",
    );
    text.push_str(if costs(tree).is_some() {
        "    \
    double least = INFINITY;
    for (int answer = 0; answer < TREE_CLASSES; answer++) {
        double cost = 0.0;
        for (int truth = 0; truth < TREE_CLASSES; truth++) {
            volatile double term = sums[truth] * COSTS[truth][answer];
            cost += term;
        }
        if (cost < least) {
            best = answer;
            least = cost;
        }
    }
"
    } else {
        "    \
    for (int i = 1; i < TREE_CLASSES; i++) {
        if (sums[i] > sums[best]) {
            best = i;
        }
    }
"
    });
    text.push_str("    return best;\n}\n");
}

fn push_answers(text: &mut String, tree: &Tree, shares: bool) {
    if !tree.schema().is_classification() {
        text.push_str(
            "\ndouble tree_predict(const struct tree_row *row) {\n    int leaf = find(row);\n",
        );
        text.push_str(if shares {
            "    return leaf >= 0 ? VALUES[leaf] : mix(row);\n}\n"
        } else {
            "    return VALUES[leaf];\n}\n"
        });
        return;
    }
    text.push_str(
        "\nconst char *tree_predict(const struct tree_row *row) {\n    int leaf = find(row);\n",
    );
    if shares {
        text.push_str(
            "    if (leaf < 0) {\n        double sums[TREE_CLASSES];\n        mix(row, sums);\n        \
             return CLASSES[best(sums)];\n    }\n",
        );
    }
    text.push_str(
        "    return CLASSES[VALUES[leaf]];\n}\n\n\
         void tree_probabilities(const struct tree_row *row, double probabilities[TREE_CLASSES]) {\n    \
         int leaf = find(row);\n",
    );
    if shares {
        text.push_str(
            "    if (leaf < 0) {\n        mix(row, probabilities);\n        return;\n    }\n",
        );
    }
    text.push_str(
        "    memcpy(probabilities, DISTRIBUTIONS[leaf], sizeof DISTRIBUTIONS[leaf]);\n}\n",
    );
}

/// A text as a literal of plain ASCII. Octal escapes end after three digits; a question mark could
/// begin a trigraph.
fn string(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => literal.extend(['\\', char::from(byte)]),
            b' '..=b'~' => literal.push(char::from(byte)),
            _ => {
                let _ = write!(literal, "\\{byte:03o}");
            }
        }
    }
    literal + "\""
}

/// A comment that ends where it should.
fn comment(text: &str) -> String {
    let inner = printable(text).replace("*/", "* /").replace("/*", "/ *");
    format!("/* {inner} */")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::samples;

    #[test]
    fn questions_are_nested() {
        let text = c(&samples::numbers()).unwrap();
        assert!(
            text.contains(
                "\
    if (isnan(row->x) || row->x < 2.0) {
        return 1; /* 1.5 */
    } else if (row->x < 1e20) {
        return 2; /* 3.5 */
    } else {
        return 3; /* 2.5 */
    }
"
            ),
            "{text}"
        );
    }

    #[test]
    fn names_cannot_break_out() {
        assert_eq!(
            string("a\"\\\n??/é1"),
            "\"a\\\"\\\\\\012\\?\\?/\\303\\2511\""
        );
        let text = comment("*/ evil() /* **//");
        assert_eq!(text.matches("*/").count(), 1, "{text}");
        assert_eq!(text.matches("/*").count(), 1, "{text}");
        let text = c(&samples::hostile_names()).unwrap();
        assert!(text.contains("is(row->a_x, \"&lt;\")"), "{text}");
    }
}
