//! Round trips, and files that must be refused.

use proptest::prelude::*;

use serde_json::Value;

use super::super::samples;
use super::*;
use crate::tree::{Certificate, LearnerInfo, LearnerKind, Params, Statement, Training};

fn fit(model: Tree) -> Fit<Tree> {
    let is_classification = model.schema().is_classification();
    let mut params = Params::default();
    params.insert("bins", 2);
    params.insert("costs", Value::Null);
    Fit {
        learner: LearnerInfo {
            kind: LearnerKind::Dyadic,
            params,
        },
        training: Training {
            rows: 2201,
            weight: 2201.0,
            errors: is_classification.then_some(476.0),
            cost: 0.1 + 0.2,
            leaves: model.n_leaves(),
            depth: model.depth(),
            seconds: 0.01,
        },
        certificate: Some(Certificate {
            objective: 0.75,
            lower_bound: 0.5,
            exact: false,
            tolerance: Some(1e-9),
            fewest_leaves: None,
            statement: Statement::Words("error over \"all\" trees".into()),
        }),
        model,
    }
}

#[test]
fn every_kind_of_tree_comes_back() {
    for tree in [
        samples::iris(),
        samples::every_kind(),
        samples::repeated(),
        samples::numbers(),
        samples::leaf(),
        samples::hostile_names(),
        samples::chain(50_000),
    ] {
        let mut fit = fit(tree);
        let text = write_model(&fit);
        assert_eq!(read_model(&text).unwrap(), fit);
        assert_eq!(write_model(&read_model(&text).unwrap()), text);
        fit.certificate = None;
        assert_eq!(read_model(&write_model(&fit)).unwrap(), fit);
    }
}

#[test]
fn the_format_is_as_documented() {
    let mut fit = fit(samples::every_kind());
    let text = write_model(&fit);
    for part in [
        r#"{"format":"treewright.tree","version":1,"task":"classification","features":[{"name":"age","kind":"numeric"},{"name":"sex","kind":"categorical","categories":["f","m","x"]},"#,
        r#""target":{"name":"class","classes":["no","yes"],"costs":[[0,1],[2.5,0]]},"reading":{"na":["?","NA","NaN","null"],"weight":null},"learner":{"name":"dyadic","params":{"bins":2,"costs":null}},"#,
        r#""training":{"rows":2201,"weight":2201.0,"errors":476,"cost":0.30000000000000004,"leaves":9,"depth":3,"seconds":0.01},"#,
        r#""certificate":{"objective":0.75,"lower_bound":0.5,"gap":0.3333333333333333,"optimal":false,"exact":false,"tolerance":1e-9,"what":"error over \"all\" trees"},"#,
        r#""nodes":[{"counts":[11.0,9.0],"value":1,"split":{"kind":"intervals","feature":0,"cuts":[],"closed":"left"},"children":[1,2],"missing":1},"#,
        r#""split":{"kind":"categories","feature":1,"branches":[0,1,null]},"children":[10,11],"missing":"distribute"},{"#,
        r#""cuts":[-1.0,0.0,1e+300],"closed":"left"},"children":[5,6,7,8,9],"missing":4}"#,
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
    fit.training.errors = Some(476.5);
    assert!(write_model(&fit).contains(r#""errors":476.5,"#));
    let text = write_model(&self::fit(samples::numbers()));
    let node = r#"{"mean":1.5,"weight":2.0,"sse":0.5,"bins":[2.0,0.0],"value":1.5}"#;
    assert!(text.contains(node), "{text}");
    assert!(!text.contains("errors") && !text.contains("classes"));
}

#[test]
fn nodes_may_stand_in_any_order_after_their_parent() {
    let text = write_model(&fit(samples::iris()));
    let (head, _) = text.split_once(r#""nodes":"#).unwrap();
    let split = |children: &str| {
        format!(
            r#""split":{{"kind":"intervals","feature":0,"cuts":[1],"closed":"right"}},"children":{children},"missing":0"#
        )
    };
    let nodes = format!(
        r#"{head}"nodes":[{{"counts":[9,0,0],"value":0,{}}},{{"counts":[5,0,0],"value":0,{}}},{{"counts":[1,0,0],"value":0}},{{"counts":[2,0,0],"value":0}},{{"counts":[4,0,0],"value":0}}]}}"#,
        split("[4, 1]"),
        split("[3, 2]")
    );
    let tree = read_model(&nodes).unwrap().model;
    let weights: Vec<f64> = tree.ids().map(|id| tree.weight(id)).collect();
    assert_eq!(weights, [9.0, 4.0, 5.0, 2.0, 1.0]);
    // A fault is reported with the number of the file, which is not that of the tree.
    let wrong = nodes.replace(r#""counts":[1,0,0]"#, r#""counts":[1,0,-1]"#);
    assert_eq!(
        read_model(&wrong).unwrap_err().to_string(),
        "not a valid model: node 2: counts must be finite and not negative"
    );
}

/// A part of a good file, what it is replaced by, and how the complaint about it starts.
type Fault = (&'static str, &'static str, &'static str);

/// Faults of `samples::every_kind`.
#[rustfmt::skip]
const BROKEN: &[Fault] = &[
    ("treewright.tree", "treewright.family", "format is \"treewright.family\", expected \"treewright.tree\""),
    (r#""format":"treewright.tree","#, "", "no \"format\""),
    (r#""version":1"#, r#""version":2"#, "version is 2, this program reads 1"),
    (r#""version":1,"#, "", "version is none"),
    (r#""version":1"#, r#""version":"1""#, "invalid type: string"),
    (r#""task":"classification""#, r#""task":"clustering""#, "unknown variant `clustering`"),
    (r#""task":"classification""#, r#""task":"regression""#, "regression has no \"classes\""),
    (r#""task""#, r#""extra":1,"task""#, "unknown field `extra`"),
    (r#""task""#, "\"a\\u001b\\n\":1,\"task\"", "unknown field `a\\u{1b}\\n`"),
    (r#""task""#, r#""version":1,"task""#, "duplicate field `version`"),
    (r#""value":1,"#, r#""value":1,"value":1,"#, "duplicate field `value`"),
    (r#""cuts":[],"#, r#""cuts":[],"cuts":[],"#, "duplicate field `cuts`"),
    (r#""cuts":[],"#, r#""cuts":[],"more":[],"#, "unknown field `more`"),
    (r#""kind":"intervals""#, r#""kind":"oblique""#, "unknown variant `oblique`"),
    (r#""children":[1,2]"#, r#""children":[1,200]"#, "node 0: child 200 does not exist"),
    (r#""children":[1,2]"#, r#""children":[1,-2]"#, "invalid value"),
    (r#""children":[3,4]"#, r#""children":[3,0]"#, "node 1: child 0 must come after its parent"),
    (r#""children":[3,4]"#, r#""children":[3,1]"#, "node 1: child 1 must come after its parent"),
    (r#""children":[3,4]"#, r#""children":[3,3]"#, "node 3: has more than one parent"),
    (r#""children":[3,4]"#, r#""children":[3,2]"#, "node 2: has more than one parent"),
    (r#""children":[3,4]"#, r#""children":[]"#, "node 1: has 0 children"),
    (r#""children":[3,4]"#, r#""children":[3]"#, "node 1: has 1 children"),
    (r#""children":[3,4],"#, "", "node 1: \"split\", \"children\" and \"missing\" come together"),
    (r#""children":[5,6,7,8,9],"missing":4"#, r#""children":[5,6,7,8],"missing":3"#, "node 9: has no parent"),
    (r#""cuts":[-1.0,0.0,1e+300]"#, r#""cuts":[0,0,1]"#, "node 4: cuts must be finite and rise strictly"),
    (r#""cuts":[-1.0,0.0,1e+300]"#, r#""cuts":[0,2,1]"#, "node 4: cuts must be finite and rise strictly"),
    (r#""cuts":[-1.0,0.0,1e+300]"#, r#""cuts":[0,1,1e999]"#, "number out of range"),
    (r#""cuts":[-1.0,0.0,1e+300]"#, r#""cuts":[0,1,NaN]"#, "expected value"),
    (r#""cuts":[-1.0,0.0,1e+300]"#, r#""cuts":[0,1,"2"]"#, "invalid type: string"),
    (r#""cuts":[-1.0,0.0,1e+300]"#, r#""cuts":[0]"#, "node 4: has 5 children for 2 outcomes"),
    (r#""feature":2"#, r#""feature":3"#, "node 4: splits on feature 3, but there are 3"),
    (r#""feature":2"#, r#""feature":1"#, "node 4: the kind of split does not fit feature \"sex\""),
    (r#""closed":"left""#, r#""closed":"both""#, "unknown variant `both`"),
    (r#""counts":[11.0,9.0]"#, r#""counts":[-11.0,9.0]"#, "node 0: counts must be finite and not negative"),
    (r#""counts":[11.0,9.0]"#, r#""counts":[11.0]"#, "node 0: counts must have one number for each class"),
    (r#""counts":[11.0,9.0]"#, r#""counts":[11.0,9.0,0]"#, "node 0: counts must have one number for each class"),
    (r#""counts":[11.0,9.0]"#, r#""mean":1,"weight":2,"sse":0"#, "the outcome of the root does not fit the task"),
    (r#""counts":[11.0,9.0]"#, r#""counts":[11.0,9.0],"mean":1"#, "node 0: expected either \"counts\" or"),
    (r#""value":1"#, r#""value":2"#, "node 0: value must be the index of a class"),
    (r#""value":1"#, r#""value":-1"#, "node 0: value must be the index of a class"),
    (r#""value":1"#, r#""value":0.5"#, "node 0: value must be the index of a class"),
    (r#""value":1"#, r#""value":null"#, "invalid type: null"),
    (r#""branches":[0,1,null]"#, r#""branches":[0,1]"#, "node 3: has 2 branches for 3 categories"),
    (r#""branches":[0,1,null]"#, r#""branches":[0,1,2]"#, "node 3: branch to child 2 of 2"),
    (r#""branches":[0,1,null]"#, r#""branches":[0,1,4294967295]"#, "node 3: branch to child 4294967295 of 2"),
    (r#""branches":[0,1,null]"#, r#""branches":[0,1,4294967296]"#, "invalid value"),
    (r#""branches":[0,1,null]"#, r#""branches":[1,1,1]"#, "node 3: no category leads to child 0"),
    (r#""branches":[0,1,null]"#, r#""branches":[null,null,null]"#, "node 3: has 2 children for 0 outcomes"),
    (r#""missing":4"#, r#""missing":5"#, "node 4: has 5 children for 4 outcomes"),
    (r#""missing":4"#, r#""missing":"distribute""#, "node 4: has 5 children for 4 outcomes"),
    (r#""missing":0"#, r#""missing":2"#, "node 1: missing values go to child 2 of 2"),
    (r#""missing":0"#, r#""missing":"left""#, "node 1: missing is \"left\", expected a child position or \"distribute\""),
    (r#""missing":0"#, r#""missing":0.5"#, "expected a child position or \"distribute\""),
    (r#""missing":0"#, r#""missing":4294967296"#, "expected a child position or \"distribute\""),
    (r#""name":"sex""#, r#""name":"age""#, "column name \"age\" occurs twice"),
    (r#""name":"sex""#, r#""name":"class""#, "column name \"class\" occurs twice"),
    (r#""name":"sex""#, r#""name":"""#, "column name 2 is empty"),
    (r#""kind":"numeric""#, r#""kind":"categorical""#, "categorical feature \"age\" has no categories"),
    (r#""kind":"categorical""#, r#""kind":"numeric""#, "numeric feature \"sex\" has categories"),
    (r#"["f","m","x"]"#, r#"["f","m","f"]"#, "category of \"sex\" \"f\" occurs twice"),
    (r#"["no","yes"]"#, r#"["no","no"]"#, "class \"no\" occurs twice"),
    (r#""classes":["no","yes"]"#, r#""classes":[]"#, "the target has no classes"),
    (r#""classes":["no","yes"],"#, "", "classification needs \"classes\""),
    ("[[0,1],[2.5,0]]", "[[0,1],[2.5]]", "costs: a row has 1 entries, expected 2"),
    ("[[0,1],[2.5,0]]", "[[0]]", "costs for 1 classes, but there are 2"),
    ("[[0,1],[2.5,0]]", "[[0,1],[-2.5,0]]", "costs: got -2.5"),
    (r#""rows":2201"#, r#""rows":-1"#, "invalid value"),
    (r#""rows":2201"#, r#""rows":0.5"#, "invalid type: floating point"),
    (r#""weight":2201.0"#, r#""weight":-1.0"#, "\"training\" has a number that is negative"),
    (r#""gap":0.3333333333333333"#, r#""gap":0.2"#, "certificate: gap is not"),
    (r#""optimal":false"#, r#""optimal":true"#, "certificate: optimal must say whether"),
    (r#""lower_bound":0.5"#, r#""lower_bound":0.8"#, "certificate: lower_bound is above objective"),
    (r#""lower_bound":0.5"#, r#""lower_bound":-0.5"#, "\"certificate\" has a number that is negative"),
];

/// Faults of `samples::numbers`.
#[rustfmt::skip]
const BROKEN_NUMBERS: &[Fault] = &[
    (r#""bins":[2.0,0.0]"#, r#""bins":[2.0]"#, "node 1: bins must be finite"),
    (r#""bins":[2.0,0.0],"#, "", "node 1: bins must be finite"),
    (r#""sse":5.0"#, r#""sse":-5.0"#, "node 0: mean must be finite"),
    (r#""sse":5.0,"#, "", "node 0: expected either \"counts\" or"),
    (r#""name":"price""#, r#""name":"price","costs":[]"#, "regression has no"),
];

/// Replaces a part of a good file and returns what is said about the result.
fn said(tree: Tree, from: &str, to: &str) -> String {
    let good = write_model(&fit(tree));
    assert!(good.contains(from), "{from} is not in {good}");
    let message = match read_model(&good.replacen(from, to, 1)) {
        Ok(_) => panic!("{from} became {to} and was accepted"),
        Err(error) => error.to_string(),
    };
    assert!(!message.contains(char::is_control), "{message:?}");
    assert!(message.chars().count() < 300, "{message}");
    message
        .strip_prefix("not a valid model: ")
        .expect("faults of models say so")
        .to_owned()
}

#[test]
fn broken_files_are_refused_with_a_reason() {
    for &(from, to, expected) in BROKEN {
        let message = said(samples::every_kind(), from, to);
        assert!(
            message.starts_with(expected) || message.contains(&format!(", {expected}")),
            "{from} => {to}: {message}, expected {expected}"
        );
    }
    for &(from, to, expected) in BROKEN_NUMBERS {
        let message = said(samples::numbers(), from, to);
        assert!(message.starts_with(expected), "{from} => {to}: {message}");
    }
}

#[test]
fn hostile_texts_are_refused() {
    let good = write_model(&fit(samples::every_kind()));
    let refuse = |text: &str| {
        let message = read_model(text).unwrap_err().to_string();
        assert!(!message.contains(char::is_control), "{message:?}");
        assert!(message.chars().count() < 300, "{message}");
    };
    for end in (0..good.len()).filter(|&end| good.is_char_boundary(end)) {
        refuse(&good[..end]);
    }
    refuse(&format!("{good}}}"));
    refuse(&format!("[{good}]"));
    refuse("null");
    refuse(r#"["treewright.tree", 1]"#);
    refuse(&"x".repeat(10_000_000));
    refuse(&"[".repeat(100_000));
    refuse(&r#"{"a":"#.repeat(100_000));
    let deep = |to: &str| format!("{}{}{}", "[".repeat(100_000), to, "]".repeat(100_000));
    refuse(&format!("{{\"a\":{}}}", deep("1")));
    refuse(&good.replacen(r#""costs":null"#, &format!(r#""costs":{}"#, deep("1")), 1));
    refuse(&good.replacen("[[0,1],[2.5,0]]", &deep("0"), 1));
    refuse(&good.replacen("\"age\"", &deep("\"age\""), 1));
    let long = format!("\"{}\"", "é".repeat(1_000_000));
    refuse(&good.replacen("\"task\"", &long, 1));
    refuse(&good.replacen("\"distribute\"", &long, 1));
    refuse(&good.replacen("\"classification\"", &long, 1));
    refuse(&good.replacen("\"treewright.tree\"", &long, 1));
    let nodes = good.find("\"nodes\":").unwrap();
    refuse(&format!("{}\"nodes\":[]}}", &good[..nodes]));
}

proptest! {
    #[test]
    fn changed_bytes_never_panic(
        which in 0..3_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let tree = [samples::every_kind, samples::numbers, samples::iris][which]();
        let mut bytes = write_model(&fit(tree)).into_bytes();
        for (place, byte) in changes {
            // Mostly characters that keep the syntax alive.
            let alphabet = b"0123456789-,.:[]{}\"ne";
            let place = place.index(bytes.len());
            bytes[place] = if byte < 64 { byte } else { alphabet[byte as usize % alphabet.len()] };
        }
        match read_model(&String::from_utf8_lossy(&bytes)) {
            // What is accepted is a sound model: it can be written and read again.
            Ok(fit) => prop_assert_eq!(read_model(&write_model(&fit)).unwrap(), fit),
            Err(error) => prop_assert!(!error.to_string().contains(char::is_control)),
        }
    }
}
