// How good the selected tree is: on rows left out, each answered by the tree of the fold that has not seen it; without
// them, on the rows of the page.

function makeQuality(report, actions) {
  const box = byId("quality");
  const parts = report.task === "regression" ? numberQuality(report) : classQuality(report);

  function heading(quality) {
    if (!quality) return "Quality on the training rows";
    if (report.judged_on === "left_out") return "Quality on unseen rows";
    return report.other_rows ? `Quality on ${plural(report.other_rows, "other row")}` : "Quality on the training rows";
  }

  function note(quality) {
    if (!quality) return "On new rows the tree is worse: these are the rows it was learned from.";
    if (report.judged_on !== "left_out") {
      return report.other_rows ? "" : "On new rows the tree is worse: these are the rows it was learned from.";
    }
    const { folds } = report;
    const rows = folds
      ? `Every row is answered by the tree of the fold that has not seen it (${folds.folds} folds)`
      : "";
    return rows
      ? `${rows}, so these figures are those of trees like the selected one on rows that are new to them.`
      : "";
  }

  // Where a single leaf errs least, because one class is rare, a tree may still tell which rows to look at first.
  function hint({ f, m, auc, leaves }) {
    const words = `The tree with ${leavesText(leaves)} of “${report.families[f].title}” ranks best: AUC ${auc.toFixed(3)}.`;
    return html(
      "p",
      { class: "words" },
      "A single leaf cannot rank rows. ",
      button(words, () => actions.select(f, m), { class: "link", id: "ranks-best" }),
    );
  }

  return {
    render(state, changed) {
      if (!changed.has("member")) return;
      const member = report.families[state.family].members[state.member];
      byId("quality-head").textContent = heading(member.quality);
      if (!member.quality && !state.tree && !member.confusion) {
        box.replaceChildren(html("p", { class: "muted" }, "The selected tree is not part of the page."));
        return;
      }
      const own = note(member.quality);
      box.replaceChildren(...[own ? html("p", { class: "note first" }, own) : null].filter(Boolean));
      const ranking = member.leaves === 1 ? bestRanking(report) : null;
      if (ranking && ranking.leaves > 1) box.append(hint(ranking));
      parts(box, member, state);
    },
  };
}

// A part of the card with a heading of its own.
function panel(title, ...content) {
  const isControl = content.some((one) => one instanceof Element && one.classList.contains("threshold"));
  return html("section", { class: isControl ? "panel threshold-panel" : "panel" }, html("h3", {}, title), content);
}

function figureList(figures, id) {
  return html(
    "dl",
    { class: "figures", id },
    figures
      .filter(Boolean)
      .map(([name, value, title]) => html("div", { title }, html("dt", {}, name), html("dd", {}, value))),
  );
}
