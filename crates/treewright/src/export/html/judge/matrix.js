// The confusion matrix, and the figures of each class.

// From this many classes on the cells are narrow.
const MANY_CLASSES = 9;
const MOST_CONFUSIONS = 8;

function confusionMatrix(report, table) {
  const { classes } = report.target;
  const many = classes.length >= MANY_CLASSES;
  const most = Math.max(...table.map((row, i) => Math.max(...row.map((count, j) => (i === j ? 0 : count)))), 1e-300);
  const cell = (count, i, j) => {
    const support = table[i].reduce((a, b) => a + b, 0);
    const part = i === j ? count / (support || 1) : Math.sqrt(count / most);
    return html(
      "td",
      {
        class: `num heat ${i === j ? "right" : "miss"}`,
        style: `--heat: ${count > 0 ? Math.round(10 + 50 * part) : 0}%`,
        title: `${classes[i]} taken for ${classes[j]}: ${format.rows(count)}`,
      },
      count ? (many ? shortCount(count) : format.rows(count)) : "·",
    );
  };
  const long = many ? 3 : classes.length > 6 ? 8 : 16;
  return html(
    "div",
    { class: "scroller-x" },
    html(
      "table",
      {
        class: many ? "matrix many" : "matrix",
        id: "confusion",
        // Room for three digits in each cell, also on a narrow screen.
        style: many ? `min-width: ${90 + 27 * classes.length}px` : null,
      },
      html("caption", { class: "sr" }, "Confusion matrix"),
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          html("th", { scope: "col" }, many ? "" : "true ↓ predicted →"),
          classes.map((name) => html("th", { scope: "col", class: "num", title: name }, cutName(name, long))),
        ),
      ),
      html(
        "tbody",
        {},
        classes.map((name, i) =>
          html(
            "tr",
            {},
            html("th", { scope: "row", title: name }, classMark(i, many), cutName(name, 18)),
            table[i].map((count, j) => cell(count, i, j)),
          ),
        ),
      ),
    ),
  );
}

function classMark(i, isLeftOut) {
  return isLeftOut ? null : html("i", { class: "swatch", style: `background: ${classColor(i)}` });
}

// 1234 as 1.2k: the whole number is in the title.
function shortCount(count) {
  return count < 1000 ? format.rows(count) : `${significant(count / 1000, count < 9950 ? 2 : 3)}k`;
}

// Precision and recall of each class, from a confusion matrix.
function perClass(table) {
  const sum = (list) => list.reduce((a, b) => a + b, 0);
  return table.map((row, i) => {
    const [right, support, claimed] = [row[i], sum(row), sum(table.map((line) => line[i]))];
    return {
      support,
      precision: claimed > 0 ? right / claimed : null,
      recall: support > 0 ? right / support : null,
      f1: support + claimed > 0 ? (2 * right) / (support + claimed) : null,
    };
  });
}

function perClassTable(report, table) {
  const text = (x) => (x === null ? "–" : format.share(x));
  return html(
    "div",
    { class: "scroller-x" },
    html(
      "table",
      { class: "matrix per-class" },
      html("caption", { class: "sr" }, "Figures of the classes"),
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          html("th", { scope: "col" }, "class"),
          ["rows", "precision", "recall", "F1"].map((name) => html("th", { scope: "col", class: "num" }, name)),
        ),
      ),
      html(
        "tbody",
        {},
        perClass(table).map(({ support, precision, recall, f1 }, i) =>
          html(
            "tr",
            {},
            html(
              "th",
              { scope: "row", title: report.target.classes[i] },
              classMark(i),
              cutName(report.target.classes[i], 24),
            ),
            [format.rows(support), text(precision), text(recall), text(f1)].map((value) =>
              html("td", { class: "num" }, value),
            ),
          ),
        ),
      ),
    ),
  );
}

// Of many classes, the pairs that are mixed up most often.
function confusionList(report, table) {
  const { classes } = report.target;
  const pairs = table.flatMap((row, i) => row.map((count, j) => ({ count, i, j }))).filter(({ i, j }) => i !== j);
  pairs.sort((a, b) => b.count - a.count);
  return html(
    "ol",
    { class: "pairs" },
    pairs
      .slice(0, MOST_CONFUSIONS)
      .filter(({ count }) => count > 0)
      .map(({ count, i, j }) =>
        html(
          "li",
          {},
          html("b", {}, cutName(classes[i], 24)),
          " taken for ",
          html("b", {}, cutName(classes[j], 24)),
          `: ${format.rows(count)}`,
        ),
      ),
  );
}
