// What the data check found in the table.

const SEVERITIES = { error: "Error", warning: "Warning", info: "Note" };

function makeTable(report) {
  const card = byId("table-card");
  const found = findingsOf(report.check);
  card.hidden = !report.check;
  if (!report.check) return;
  const { rows, without_target: without, duplicates } = report.check.rows;
  const facts = [plural(rows, "row")];
  if (without) facts.push(`${format.rows(without)} without a target left out`);
  if (duplicates) facts.push(`${format.rows(duplicates)} equal to earlier ones`);
  byId("table").replaceChildren(
    html("p", { class: "note" }, facts.join(", ")),
    found.length
      ? html("ul", { class: "findings" }, found.map(findingItem))
      : html("p", { class: "note" }, "Nothing was found that would spoil a tree."),
  );
}

// All findings with the names of their columns, the worst first.
function findingsOf(check) {
  if (!check) return [];
  const all = check.findings.map((finding) => ({ ...finding, column: null }));
  for (const { name, findings } of check.columns) {
    all.push(...findings.map((finding) => ({ ...finding, column: name })));
  }
  const rank = Object.keys(SEVERITIES);
  return all.sort((a, b) => rank.indexOf(a.severity) - rank.indexOf(b.severity));
}

function findingItem({ severity, column, message, fix }) {
  return html(
    "li",
    { class: severity },
    html("strong", {}, SEVERITIES[severity] || severity),
    " ",
    column === null ? null : [html("b", {}, column), ": "],
    message,
    fix ? [" ", html("code", {}, fix)] : null,
  );
}
