// The figures of the selected tree that matter most, under the answer: what it gets wrong on unseen rows, beside what
// the best answer that is always the same gets wrong, and how large it is.

function makeHeadline(report, actions) {
  const box = byId("headline");
  const error = measure(report);
  const stepper = makeStepper(report, actions, "size");
  const size = html("div", { class: "size-line" }, stepper.parts);

  function figure(name, value, note, kind) {
    return html("div", { class: kind }, html("dt", {}, name), html("dd", {}, value), html("span", {}, note || ""));
  }

  // In units of the target, and by how much that may be off.
  function ofNumbers(name, mse, se) {
    const root = Math.sqrt(mse);
    const spread = (se ?? null) === null || !(root > 0) ? "" : `± ${format.figure(se / (2 * root), root)}, a standard error`;
    return figure(`Off by, on ${name}`, format.figure(root), spread || "root mean square", "main");
  }

  function ofError(member) {
    if (report.task === "regression") {
      if (hasCv(member)) return ofNumbers("unseen rows", member.cv_error, member.cv_se);
      if (member.quality && report.other_rows)
        return ofNumbers(plural(report.other_rows, "other row"), member.quality.mse);
      return ofNumbers("the training rows", member.cost);
    }
    const spread =
      (member.cv_se ?? null) === null ? "" : `± ${error.spread(member.cv_se, member.cv_error)}, a standard error`;
    if (hasCv(member))
      return figure(`${capital(error.unseen)} on unseen rows`, error.text(member.cv_error), spread, "main");
    const { quality } = member;
    if (quality && report.other_rows) {
      return figure(
        `${capital(error.unseen)} on ${plural(report.other_rows, "other row")}`,
        error.text(quality.error),
        "",
        "main",
      );
    }
    return figure(
      `${capital(error.unseen)} on the training rows`,
      error.text(member.cost),
      "on new rows it is larger",
      "main",
    );
  }

  function ofBaseline(member) {
    const { quality } = member;
    if (quality && report.task === "regression") {
      const { mean, rmse } = quality.baseline;
      return figure("Always the mean", format.figure(rmse), `${format.value(mean)} for every row`);
    }
    if (quality && !report.target.costs) {
      const { class: name, error: wrong } = quality.baseline;
      return figure(`Always “${cutName(name, 18)}”`, error.text(wrong), "the best answer that is always the same");
    }
    const baseline = report.baseline || null;
    return baseline
      ? figure("A single leaf", error.text(baseline.cost), "the best answer that is always the same")
      : null;
  }

  function ofRanking(member) {
    const { quality } = member;
    if (!quality) return null;
    if (report.task === "regression") {
      return (quality.r2 ?? null) === null
        ? null
        : figure("Variance explained", format.share(quality.r2), `mean absolute error ${format.figure(quality.mae)}`);
    }
    if (!quality.ranking) return null;
    const { auc, gini, positive } = quality.ranking;
    return figure("AUC", auc.toFixed(3), `Gini ${gini.toFixed(3)}, for “${cutName(positive, 14)}”`);
  }

  return {
    render(state, changed) {
      if (!changed.has("member")) return;
      const member = report.families[state.family].members[state.member];
      const depth = (member.depth ?? null) === null ? "" : `, depth ${format.rows(member.depth)}`;
      const leaves = figure(`Leaves${depth}`, format.rows(member.leaves), "");
      leaves.querySelector("span").replaceWith(size);
      stepper.render(state);
      box.replaceChildren(...[ofError(member), ofBaseline(member), leaves, ofRanking(member)].filter(Boolean));
    },
  };
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
