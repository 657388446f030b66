//! Members that are only as good as their neighbours.

use super::*;

/// A family whose members have nodes of their own, the second one only tied with its neighbours.
fn tied() -> Value {
    let nested = fit(samples::iris(), &Penalty::Linear).family;
    let trees: Vec<Tree> = (0..3).map(|place| nested.tree(place)).collect();
    let (mut fit, _) = with_source(nested.values()[..3].to_vec(), trees);
    fit.learner.kind = crate::tree::LearnerKind::Dyadic;
    let mut file: Value = serde_json::from_str(&write_family(&fit)).unwrap();
    let members = file["members"].as_array_mut().unwrap();
    members[1]["lambda_low"] = members[0]["lambda_low"].clone();
    members[2]["lambda_high"] = members[0]["lambda_low"].clone();
    // The costs say otherwise. They would decide if they were exact.
    file["certificate"]["exact"] = json!(false);
    file
}

#[test]
fn members_may_be_tied() {
    let text = tied().to_string();
    let read = read_family(&text).unwrap();
    assert!(read.family.has_ties());
    assert_eq!(read.family.len(), 3);
    assert_eq!(write_family(&read), text);
    // A weight is always given to the smallest member that is best for it.
    let low = read.family.lambda_low(1).unwrap();
    let at = |weight: f64| read.family.at(&format!("{weight:?}").parse().unwrap());
    assert_eq!((at(low), at(low.next_down())), (0, 2));
}

#[test]
fn ties_do_not_excuse_everything() {
    let refused = |changes: &[(&str, Value)], complaint: &str| {
        let mut file = tied();
        for (pointer, value) in changes {
            *file.pointer_mut(pointer).unwrap() = value.clone();
        }
        let message = read_family(&file.to_string()).unwrap_err().to_string();
        let beginning = format!("not a valid model: {complaint}");
        assert!(message.starts_with(&beginning), "{message}");
    };
    let high = [
        ("/members/1/lambda_low", json!(1e9)),
        ("/members/2/lambda_high", json!(1e9)),
    ];
    refused(&high, "member 1: lambda_low must not be above");
    let low = [
        ("/members/2/lambda_low", json!(null)),
        ("/certificate/exact_down_to", json!(null)),
    ];
    refused(&low, "member 2: a number is negative or not finite");
    let first = [("/members/0/lambda_low", json!(null))];
    refused(&first, "member 0: a number is negative or not finite");
    let down = [("/certificate/exact_down_to", json!(-1))];
    refused(&down, "\"search\", \"certificate\"");
    let mut file = tied();
    let member = file["members"][1].as_object_mut().unwrap();
    member.shift_remove("lambda_low");
    let message = read_family(&file.to_string()).unwrap_err().to_string();
    assert!(message.contains("missing field `lambda_low`"), "{message}");
}

/// What a node collapses at must name one member.
#[test]
fn nested_members_are_not_tied() {
    let text = write_family(&fit(samples::iris(), &Penalty::Linear));
    let mut file: Value = serde_json::from_str(&text).unwrap();
    let members = file["members"].as_array_mut().unwrap();
    assert!(members.len() > 2);
    let low = members[0]["lambda_low"].clone();
    let before = std::mem::replace(&mut members[1]["lambda_low"], low.clone());
    members[2]["lambda_high"] = low.clone();
    for node in file["nodes"].as_array_mut().unwrap() {
        if node.get("collapse_at") == Some(&before) {
            node["collapse_at"] = low.clone();
        }
    }
    let message = read_family(&file.to_string()).unwrap_err().to_string();
    let beginning = "not a valid model: member 1: lambda_low must be below lambda_high";
    assert!(message.starts_with(beginning), "{message}");
}
