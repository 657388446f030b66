// The sampled rows with what the tree says about them; a click shows the way of a row.

const PAGE = 12;

function makeRowsView(report, actions) {
  const box = byId("rows");
  if (!report.sample || !report.sample.row.length) {
    byId("rows-card").hidden = true;
    return { render() {} };
  }
  const regression = report.task === "regression";
  const { sample } = report;
  let state = null;
  let page = 0;
  let sorting = { by: "row", down: false };
  const only = { wrong: false, here: false };
  const tools = byId("rows-tools");
  if (!regression)
    tools.append(
      checkbox("wrong answers", false, (on) => {
        only.wrong = on;
        page = 0;
        draw();
      }),
    );
  tools.append(
    checkbox("at the selected node", false, (on) => {
      only.here = on;
      page = 0;
      draw();
    }),
  );
  const table = html("table", { class: "rows", "aria-label": "Sampled rows" });
  const status = html("span", { class: "muted num" });
  const back = button(
    "‹ Back",
    () => {
      page -= 1;
      draw();
    },
    { class: "quiet" },
  );
  const on = button(
    "More ›",
    () => {
      page += 1;
      draw();
    },
    { class: "quiet" },
  );
  box.append(html("div", { class: "scroller-x" }, table), html("div", { class: "pager" }, back, on, status));

  function cell(by, index) {
    if (by === "row") return sample.row[index];
    if (by === "target") return sample.target[index];
    if (by === "prediction") return state.predictions ? state.predictions[index] : null;
    return sample.columns[by][index];
  }

  function listed() {
    let rows = sample.row.map((_, index) => index);
    if (only.wrong && state.predictions)
      rows = rows.filter((index) => state.predictions[index] !== sample.target[index]);
    if (only.here && state.tree && state.node)
      rows = rowsAt(state.rows, state.tree, state.node)
        .map(({ index }) => index)
        .filter((index) => rows.includes(index));
    const sign = sorting.down ? -1 : 1;
    return rows.sort((a, b) => {
      const [x, y] = [cell(sorting.by, a), cell(sorting.by, b)];
      if (x === y) return a - b;
      // Missing cells come last, whichever way.
      if (x === null) return 1;
      if (y === null) return -1;
      return sign * (x - y);
    });
  }

  function draw() {
    const rows = listed();
    const pages = Math.max(1, Math.ceil(rows.length / PAGE));
    page = Math.min(Math.max(0, page), pages - 1);
    const shown = rows.slice(page * PAGE, (page + 1) * PAGE);
    const hadFocus = table.contains(document.activeElement) && document.activeElement.dataset.row;
    const columns = [
      ["row", "row"],
      ...report.features.map(({ name }, j) => [j, name]),
      ["target", report.target.name],
      ["prediction", "prediction"],
    ];
    const numeric = (by) =>
      by === "row" || (Number.isInteger(by) ? report.features[by].kind === "numeric" : regression);
    table.replaceChildren(
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          columns.map(([by, name]) =>
            html(
              "th",
              {
                scope: "col",
                class: numeric(by) ? "num" : null,
                "aria-sort": sorting.by === by ? (sorting.down ? "descending" : "ascending") : null,
              },
              button(
                [cutName(name, 22), sorting.by === by ? (sorting.down ? " ↓" : " ↑") : ""],
                () => {
                  sorting = { by, down: sorting.by === by && !sorting.down };
                  page = 0;
                  draw();
                },
                { class: "sort", title: name },
              ),
            ),
          ),
        ),
      ),
      html(
        "tbody",
        {},
        shown.map((index) => line(index)),
      ),
    );
    back.disabled = page === 0;
    on.disabled = page === pages - 1;
    const of = sample.of && sample.of > sample.row.length ? `, a sample of ${format.rows(sample.of)}` : "";
    status.textContent = rows.length
      ? `${format.rows(page * PAGE + 1)}–${format.rows(page * PAGE + shown.length)} of ${plural(rows.length, "row")}${of}`
      : "no such rows";
    if (hadFocus) {
      const again = table.querySelector(`[data-row="${hadFocus}"]`);
      if (again) again.focus({ preventScroll: true });
    }
  }

  function line(index) {
    const predicted = state.predictions ? state.predictions[index] : null;
    const isSelected = state.row !== null && state.row.index === index;
    const answer = (value) => [
      html("i", { class: "swatch", style: `background: ${answerColor(report, value)}` }),
      cutName(answerText(report, value), 24),
    ];
    return html(
      "tr",
      {
        tabindex: 0,
        "data-row": index,
        "aria-selected": String(isSelected),
        class: isSelected ? "selected" : null,
        on: {
          click: () => actions.selectRow(index),
          keydown: (event) => {
            if (event.key === "Enter" || event.key === " ") actions.selectRow(index);
            else if (event.key === "ArrowDown" && event.currentTarget.nextSibling)
              event.currentTarget.nextSibling.focus();
            else if (event.key === "ArrowUp" && event.currentTarget.previousSibling)
              event.currentTarget.previousSibling.focus();
            else return;
            event.preventDefault();
          },
        },
      },
      html("td", { class: "num muted" }, format.rows(sample.row[index])),
      report.features.map(({ kind }, j) => {
        const value = sample.columns[j][index];
        const text = valueText(report, j, value);
        const short = cutName(briefValue(report, j, value), 24);
        return html(
          "td",
          {
            class: `${kind === "numeric" ? "num" : ""}${value === null ? " absent" : ""}`,
            title: short === text ? null : text,
          },
          short,
        );
      }),
      html("td", { class: regression ? "num" : null }, answer(sample.target[index])),
      html(
        "td",
        { class: regression ? "num" : null },
        predicted === null
          ? "–"
          : [
              answer(predicted),
              !regression && predicted !== sample.target[index]
                ? html("span", { class: "wrong", title: "wrong" }, " ✗")
                : null,
            ],
      ),
    );
  }

  return {
    render(next, changed) {
      state = next;
      if (changed.has("member") || changed.has("row") || (changed.has("node") && only.here)) draw();
    },
  };
}
