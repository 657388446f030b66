// The selected member: family, slider, figures, and what is proven about it.

function makeSelection(report, actions) {
  const error = measure(report);
  const family = choice(
    "Family",
    report.families.map((one, f) => [f, one.title]),
    0,
    (f) => {
      const { members } = report.families[state.family];
      actions.select(Number(f), closestMember(report.families[f], members[state.member].leaves));
    },
  );
  const select = family.querySelector("select");
  const slider = html("input", {
    type: "range", min: 0, step: 1, id: "slider", "aria-label": "Size of the tree",
    on: { input: () => actions.select(state.family, Number(slider.value)) },
  });
  const step = (by) => () => actions.select(state.family, state.member + by);
  const smaller = button("‹", step(-1), { "aria-label": "Smaller tree", class: "step" });
  const larger = button("›", step(1), { "aria-label": "Larger tree", class: "step" });
  const ends = html("div", { class: "slider-ends" }, html("span"), html("span"));
  const jumps = html("div", { class: "jumps" });
  const figures = html("dl", { class: "figures", id: "figures" });
  const proof = html("div", { class: "proof", id: "proof" });
  byId("selection").append(
    family,
    html("div", { class: "slider-line" }, smaller, slider, larger),
    ends, jumps, figures, proof,
  );
  let state = null;

  function figure(name, value, title) {
    return html("div", { title }, html("dt", {}, name), html("dd", {}, value));
  }

  function render(next, changed) {
    state = next;
    if (!changed.has("member")) return;
    const current = report.families[state.family];
    const member = current.members[state.member];
    const last = current.members.length - 1;
    select.value = String(state.family);
    slider.max = last;
    slider.value = state.member;
    slider.disabled = last === 0;
    slider.setAttribute("aria-valuetext", `${plural(member.leaves, "leaf", "leaves")}, training ${error.name} ${error.text(member.cost)}`);
    smaller.disabled = state.member === 0;
    larger.disabled = state.member === last;
    const sizes = [current.members[0], current.members[last]].map(({ leaves }) => plural(leaves, "leaf", "leaves"));
    ends.children[0].textContent = sizes[0];
    ends.children[1].textContent = last ? sizes[1] : "";
    renderJumps(current);
    figures.replaceChildren(
      figure("Leaves", format.rows(member.leaves)),
      figure("Depth", member.depth === null || member.depth === undefined ? state.tree ? format.rows(Math.max(...state.tree.reachable.map((id) => state.tree.depth[id]))) : "–" : format.rows(member.depth)),
      figure(`Training ${error.short}`, error.text(member.cost)),
      figure(`Cross-validated`, hasCv(member) ? `${error.text(member.cv_error)}${member.cv_se === null || member.cv_se === undefined ? "" : ` ± ${error.text(member.cv_se)}`}` : "–", "mean over the folds ± one standard error"),
    );
    if (member.errors !== null && member.errors !== undefined) {
      figures.append(figure("Wrong rows", `${format.rows(member.errors)} of ${format.rows(report.table.weight)}`));
    }
    if (member.lambda_low !== undefined && current.penalty) {
      figures.append(figure("Best for λ in", lambdaText(member), "penalty weights for which this tree has the least error + λ · penalty(leaves)"));
    }
    renderProof(current, member);
  }

  function lambdaText(member) {
    const low = member.lambda_low === null ? "∞" : format.lambda(member.lambda_low);
    return `[${low}, ${format.lambda(member.lambda_high)})`;
  }

  function renderJumps(current) {
    const chosen = current.chosen;
    jumps.replaceChildren();
    if (!chosen) return;
    const jump = (label, m, title) => button(label, () => actions.select(state.family, m), { class: "quiet", title, "aria-pressed": String(m === state.member) });
    if (chosen["1se"] !== undefined) jumps.append(jump("1-SE choice", chosen["1se"], "the smallest tree within one standard error of the least cross-validated error"));
    if (chosen.min !== undefined) jumps.append(jump("Least CV error", chosen.min, "the tree with the least cross-validated error"));
  }

  function renderProof(current, member) {
    const badge = member.optimal === true
      ? html("span", { class: "badge proven" }, "✓ proven")
      : member.optimal === false
        ? html("span", { class: "badge open" }, `best found, gap ${format.share(member.gap === null || member.gap === undefined ? 1 : member.gap)}`)
        : html("span", { class: "badge" }, "no proof");
    proof.replaceChildren(html("p", {}, badge, " ", member.words || ""));
    if (current.words) proof.append(html("p", { class: "muted" }, current.words));
    if (current.seconds !== null && current.seconds !== undefined) {
      proof.append(html("p", { class: "muted" }, `Found in ${format.seconds(current.seconds)}.`));
    }
  }

  return { render };
}
