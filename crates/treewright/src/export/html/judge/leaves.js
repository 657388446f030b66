// A line for each leaf of the selected tree: its rule, its rows, and what they are.

const MOST_LEAF_LINES = 400;
// The styles for print say the same.
const MOST_PRINTED = 30;

function makeLeaves(report, actions) {
  const box = byId("leaves");
  const isNumber = report.task === "regression";
  let state = null;
  byId("leaves-tools").append(
    button("CSV", saveCsv, { class: "quiet", id: "leaves-csv", title: "Save this table as CSV" }),
  );

  // The class that the rates are about: of two the positive one, of more that of the leaf.
  function positiveOf(member) {
    const ranking = member.quality && member.quality.ranking;
    if (ranking) return report.target.classes.indexOf(ranking.positive);
    if (isNumber || report.target.classes.length !== 2) return null;
    const { counts } = state.tree.nodes[0];
    return counts[1] <= counts[0] ? 1 : 0;
  }

  function lines() {
    const { tree } = state;
    const member = report.families[state.family].members[state.member];
    const positive = positiveOf(member);
    const isCounted = report.table.weight === report.table.rows && !report.table.weighted;
    const leaves = tree.reachable.filter((id) => tree.isLeaf(id));
    const found = leaves.map((id) => {
      const node = tree.nodes[id];
      const rows = tree.weight[id];
      const rule = ruleOf(tree, id);
      const line = {
        id,
        rule,
        answer: answerText(report, node.value),
        value: node.value,
        rows,
        share: rows / (tree.total() || 1),
      };
      if (isNumber) return { ...line, mean: node.mean, deviation: rows > 0 ? Math.sqrt(node.sse / rows) : null };
      const named = positive ?? node.value;
      const own = node.counts[named];
      const overall = tree.nodes[0].counts[named] / (tree.total() || 1);
      const rate = rows > 0 ? own / rows : null;
      const whole = isCounted && rows > 0 && Number.isInteger(rows) && Number.isInteger(own);
      return {
        ...line,
        rate,
        interval: whole ? exactInterval(own, rows) : null,
        lift: rate === null || !(overall > 0) ? null : rate / overall,
      };
    });
    const by = isNumber ? "mean" : positive === null ? "rows" : "rate";
    found.sort((a, b) => (b[by] ?? -Infinity) - (a[by] ?? -Infinity) || b.rows - a.rows || a.id - b.id);
    return { found, positive };
  }

  function columns(positive) {
    const rate =
      positive === null ? "share of the answer" : `share of “${cutName(report.target.classes[positive], 14)}”`;
    const own = isNumber ? ["standard deviation"] : [rate, "95 % interval", "lift"];
    return ["rule", "answer", "rows", "of all", ...own];
  }

  function cells(line) {
    const maybe = (x, text) => (x === null ? "–" : text(x));
    const own = isNumber
      ? [maybe(line.deviation, format.value)]
      : [
          maybe(line.rate, format.share),
          maybe(line.interval, (ends) => ends.map((end) => (100 * end).toFixed(1)).join(" – ")),
          maybe(line.lift, (x) => `${x.toFixed(2)} ×`),
        ];
    return [format.rows(line.rows), format.share(line.share), ...own];
  }

  function draw() {
    if (!state.tree) {
      box.replaceChildren(html("p", { class: "muted" }, "The selected tree is not part of the page."));
      return;
    }
    const { found, positive } = lines();
    const [rule, answer, ...numbers] = columns(positive);
    const heads = [rule, answer].map((name) => html("th", { scope: "col" }, name));
    const line = (one) =>
      html(
        "tr",
        {
          "data-leaf": one.id,
          class: one.id === state.node ? "selected" : null,
          on: { click: () => actions.selectNode(one.id) },
        },
        html(
          "td",
          { class: "rule" },
          button(one.rule, () => {}, { class: "link plain" }),
        ),
        html(
          "td",
          { class: "answer-cell" },
          html("i", { class: "swatch", style: `background: ${answerColor(report, one.value)}` }),
          cutName(one.answer, 20),
        ),
        cells(one).map((text) => html("td", { class: "num" }, text)),
      );
    const notes = ["Rows are those that the tree was learned from."];
    if (found.some(({ rows }) => !Number.isInteger(rows)) && report.table.weight === report.table.rows) {
      notes.push("Rows with a missing value are shared out among leaves, so some counts are not whole.");
    }
    if (found.length > MOST_LEAF_LINES)
      notes.push(`The first ${MOST_LEAF_LINES} of ${format.rows(found.length)} are shown.`);
    box.replaceChildren(
      html(
        "div",
        { class: "scroller-x tall" },
        html(
          "table",
          { class: "rows leaves" },
          html("caption", { class: "sr" }, "Leaves of the selected tree"),
          html(
            "thead",
            {},
            html(
              "tr",
              {},
              heads,
              numbers.map((name) => html("th", { scope: "col", class: "num" }, name)),
            ),
          ),
          html("tbody", {}, found.slice(0, MOST_LEAF_LINES).map(line)),
        ),
      ),
      html("p", { class: "note" }, notes.join(" ")),
      found.length > MOST_PRINTED
        ? html("p", { class: "note print-only" }, `The first ${MOST_PRINTED} of ${format.rows(found.length)} are printed.`)
        : "",
    );
  }

  // With all digits, for other programs.
  function saveCsv() {
    if (!state || !state.tree) return;
    const { found, positive } = lines();
    const own = isNumber
      ? ["mean", "standard deviation"]
      : [
          positive === null ? "share of the answer" : `share of ${report.target.classes[positive]}`,
          "low",
          "high",
          "lift",
        ];
    const rows = found.map((one) => [
      ruleOf(state.tree, one.id, format.exact),
      one.answer,
      one.rows,
      one.share,
      ...(isNumber ? [one.mean, one.deviation] : [one.rate, ...(one.interval || [null, null]), one.lift]),
    ]);
    const name = `leaves-${found.length}.csv`;
    save(new Blob([csvText([["rule", "answer", "rows", "of all", ...own], ...rows])], { type: "text/csv" }), name);
  }

  return {
    render(next, changed) {
      state = next;
      if (changed.has("member") || changed.has("node")) draw();
    },
  };
}

function ruleOf(tree, id, number = null) {
  const conditions = pathConditions(tree, id, number).map(({ name, text }) => `${name} ${text}`);
  return conditions.join(" and ") || "all rows";
}

function csvText(rows) {
  const cell = (value) => {
    const text = (value ?? null) === null ? "" : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
}
