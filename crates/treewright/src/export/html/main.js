// What is selected, and the views that show it. Every view reads the same state, so all are linked.

const report = JSON.parse(byId("data").textContent);

function prepare() {
  report.features.forEach((feature, j) => {
    feature.hasMissing = Boolean(feature.missing) || Boolean(report.sample && report.sample.columns[j].includes(null));
  });
  if (report.task === "regression") {
    // The range of all answers: colours mean the same in every tree of the page.
    let low = Infinity;
    let high = -Infinity;
    for (const family of report.families) {
      for (const nodes of [family.nodes, ...family.members.map((member) => member.nodes)]) {
        for (const { value } of nodes || []) {
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      }
    }
    report.valueRange = low <= high ? [low, high] : [0, 1];
  }
}

function describe() {
  byId("title").textContent = report.title;
  document.title = `${report.title} · treewright`;
  const { table, folds, target } = report;
  const others = report.other_rows;
  const facts = [
    others
      ? `learned from ${plural(table.rows, "row")}, shown with ${plural(others, "other row")}`
      : plural(table.rows, "row"),
    plural(report.features.length, "feature"),
    report.task === "regression"
      ? `predicts ${target.name}`
      : `predicts ${target.name} (${plural(target.classes.length, "class", "classes")})`,
  ];
  if (table.weight !== table.rows) facts.splice(1, 0, `total weight ${format.rows(table.weight)}`);
  if (folds)
    facts.push(
      `${folds.folds}-fold cross-validation${folds.repeats > 1 ? `, ${folds.repeats} times` : ""}, seed ${folds.seed}`,
    );
  byId("facts").replaceChildren(...facts.map((fact) => html("span", {}, fact)));
  byId("answer").textContent = report.answer || "";
  byId("answer").hidden = !report.answer;
  const smallPrint = ["Made by treewright. This file is complete: nothing is loaded from elsewhere."];
  if (report.sample && report.sample.of > report.sample.row.length) {
    smallPrint.push(
      `Counts, errors and proofs are those of all ${plural(table.rows, "row")};`,
      `histograms, points and the table show a sample of ${format.rows(report.sample.row.length)}.`,
    );
  }
  byId("foot").textContent = smallPrint.join(" ");
}

const state = { family: 0, member: 0, tree: null, node: null, row: null, predictions: null, rows: [], typical: [] };
let views = [];
// Before the page is open, its address stays as it is.
let isOpen = false;
const trees = new Map();

function treeAt(f, m) {
  const key = `${f} ${m}`;
  if (!trees.has(key)) trees.set(key, treeOf(report, report.families[f], report.families[f].members[m]));
  return trees.get(key);
}

function update(...changed) {
  const keys = new Set(changed);
  for (const view of views) view.render({ ...state }, keys);
}

const actions = {
  select(f, m) {
    const family = report.families[f];
    if (!family) return;
    const last = family.members.length - 1;
    const member = Math.min(Math.max(0, m), last);
    const sameFamily = f === state.family;
    if (sameFamily && member === state.member && state.tree) return;
    state.family = f;
    state.member = member;
    state.tree = treeAt(f, member);
    state.predictions = state.tree ? state.rows.map((row) => state.tree.predict(row).value) : null;
    // Nodes of nested trees keep their numbers; elsewhere a number means another node.
    const keeps = sameFamily && family.nodes && state.tree && state.node !== null && state.tree.shown.has(state.node);
    if (!keeps) state.node = null;
    update("member");
    if (isOpen) tellLink(report, f, member);
  },
  selectNode(id) {
    state.node = id;
    update("node");
  },
  selectRow(index) {
    actions.setRow({ values: state.rows[index], index });
  },
  setRow(row) {
    state.row = row;
    update("row");
  },
};

prepare();
widenNodes(report);
describe();
makeTheme();
makeTable(report);
byId("report").hidden = false;
state.rows = sampleRows(report);
state.typical = typicalRow(report);
views = [
  makeHeadline(report, actions),
  makeSelection(report, actions),
  makeCurve(report, actions),
  makeBar(report, actions),
  makeTreeView(report, actions),
  makeNodeView(report, actions),
  makeRowView(report, actions),
  makeRowsView(report, actions),
  makeQuality(report, actions),
  makeCompare(report, actions),
  makeLeaves(report, actions),
  makeImportance(report),
  makePartition(report, actions),
  makeTexts(report),
];
const start = report.start || { family: 0, member: 0 };
actions.select(...(placeOfLink(report, location.hash) || [start.family, start.member]));
isOpen = true;
window.addEventListener("hashchange", () => {
  const place = placeOfLink(report, location.hash);
  if (place) actions.select(...place);
});

// For the console: what the page says about a row, and what is selected.
window.treewright = {
  report,
  select: actions.select,
  selected: () => ({ family: state.family, member: state.member, node: state.node, row: state.row }),
  // After a change of `report`: its trees are made anew.
  forget: () => trees.clear(),
  predict: (row) => (state.tree ? state.tree.predict(row) : null),
};
