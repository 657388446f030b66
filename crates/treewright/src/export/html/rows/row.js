// One row, typed or clicked: its answer as a sentence and as probabilities.

function makeRowView(report, actions) {
  const box = byId("row");
  let state = null;
  const said = html("div", { class: "said", "aria-live": "polite", id: "sentence" });
  const used = html("div", { class: "fields" });
  const unused = html("div", { class: "fields" });
  const others = html("details", {}, html("summary", {}, "Features that this tree does not ask for"), unused);
  box.append(said, used, others);
  byId("row-tools").append(
    button("Clear", () => actions.setRow(null), {
      class: "quiet",
      title: "Back to a typical row, without a highlighted path",
    }),
  );
  const fields = report.features.map(field);

  function field(feature, j) {
    const { name, kind } = feature;
    let input;
    if (kind === "numeric") {
      input = html("input", {
        type: "text",
        inputmode: "decimal",
        placeholder: "missing",
        autocomplete: "off",
        on: { input: () => typed(j, input), change: () => typed(j, input) },
      });
    } else {
      input = html(
        "select",
        { on: { change: () => typed(j, input) } },
        html("option", { value: "" }, "(missing)"),
        feature.categories.map((category, code) => html("option", { value: code }, category)),
        html("option", { value: UNSEEN }, "(a value not seen in training)"),
      );
    }
    const range = kind === "numeric" ? rangeText(j) : "";
    const words = html("span", { title: range ? `${name}, ${range} in the sampled rows` : name }, name);
    if (range) words.append(" ", html("small", {}, range));
    return { label: html("label", { class: "field" }, words, input), input };
  }

  function rangeText(j) {
    const known = report.sample ? report.sample.columns[j].filter((value) => value !== null) : [];
    if (!known.length) return "";
    const short = (x) => format.exact(Number(x.toPrecision(4)));
    return rangeOf(known, null, 0).map(short).join(" to ");
  }

  function typed(j, input) {
    const text = input.value.trim();
    const value = text === "" ? null : Number(text.replace(",", "."));
    const wrong = value !== null && !Number.isFinite(value);
    input.setAttribute("aria-invalid", String(wrong));
    if (wrong) return;
    const values = currentValues().slice();
    values[j] = value;
    actions.setRow({ values, index: null });
  }

  function currentValues() {
    return state.row ? state.row.values : state.typical;
  }

  function fillFields() {
    const values = currentValues();
    fields.forEach(({ input }, j) => {
      // The state keeps all digits; a field is read only when it is typed in.
      const text = values[j] === null ? "" : fieldText(j, values[j]);
      input.title = text === "" || text === String(values[j]) ? "" : String(values[j]);
      // Not while it is being typed: "1." would lose its point.
      if (input !== document.activeElement && input.value !== text) input.value = text;
      if (input !== document.activeElement) input.setAttribute("aria-invalid", "false");
    });
  }

  function fieldText(j, value) {
    return report.features[j].kind === "numeric" ? format.brief(value).replace(/,/g, "") : String(value);
  }

  function placeFields() {
    const asked = state.tree ? state.tree.usedFeatures() : new Set();
    used.replaceChildren(...fields.filter((_, j) => asked.has(j)).map(({ label }) => label));
    unused.replaceChildren(...fields.filter((_, j) => !asked.has(j)).map(({ label }) => label));
    others.hidden = !unused.children.length;
  }

  function say() {
    const { tree } = state;
    if (!tree) {
      said.replaceChildren(html("p", { class: "muted" }, "The selected tree is not part of the page."));
      return;
    }
    const values = currentValues();
    const { pieces, answer } = rowSentence(tree, values);
    const who = state.row
      ? state.row.index === null
        ? "A row as typed. "
        : `Row ${format.rows(report.sample.row[state.row.index])} of the table. `
      : "A typical row: click a row below or change a value. ";
    const sentence = html(
      "p",
      { class: "sentence" },
      html("span", { class: "muted" }, who),
      pieces.map((piece) => (piece.strong === undefined ? piece : html("strong", {}, piece.strong))),
    );
    if (state.row && state.row.index !== null) {
      const truth = report.sample.target[state.row.index];
      const right = truth === answer.value;
      sentence.append(
        report.task === "regression"
          ? ` In the table it is ${format.value(truth)}.`
          : ` In the table it is ${report.target.classes[truth]}${right ? ", as predicted." : ": a wrong answer."}`,
      );
    }
    said.replaceChildren(sentence);
    if (answer.proba) said.append(probabilities(answer.proba));
  }

  function probabilities(proba) {
    const order = proba
      .map((_, i) => i)
      .sort((a, b) => proba[b] - proba[a])
      .filter((i, rank) => rank < 2 || (rank < 8 && proba[i] > 0));
    return html(
      "table",
      { class: "plain proba" },
      order.map((i) =>
        html(
          "tr",
          {},
          html("td", {}, cutName(report.target.classes[i], 24)),
          html(
            "td",
            { class: "track" },
            html("i", { style: `width: ${(100 * proba[i]).toFixed(1)}%; background: ${classColor(i)}` }),
          ),
          html("td", { class: "num" }, format.share(proba[i])),
        ),
      ),
    );
  }

  return {
    render(next, changed) {
      state = next;
      if (changed.has("member")) placeFields();
      if (changed.has("member") || changed.has("row")) {
        fillFields();
        say();
      }
    },
  };
}
