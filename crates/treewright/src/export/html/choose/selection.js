// The selected member: family, slider, figures, what is proven about it, and what others offer.

function makeSelection(report, actions) {
  const error = measure(report);
  let state = null;
  let isUnfolded = false;
  const family = choice(
    "Family",
    report.families.map((one, f) => [f, one.title]),
    0,
    (f) => {
      const { members } = report.families[state.family];
      actions.select(Number(f), closestMember(report.families[f], members[state.member].leaves));
    },
  );
  const stepper = makeStepper(report, actions, "slider");
  const ends = html("div", { class: "slider-ends" }, html("span"), html("span"));
  const jumps = html("div", { class: "jumps" });
  const figures = html("dl", { class: "figures", id: "figures" });
  const proof = html("div", { class: "proof", id: "proof" });
  const others = html("table", { class: "plain others", id: "others" });
  const enough = enoughChoice(report, actions);
  const line = html("div", { class: "slider-line" }, stepper.parts);
  byId("selection").append(...[enough && enough.part, family, line, ends, jumps, figures, proof].filter(Boolean));
  if (report.families.length > 1) byId("selection").append(others);

  function figure(name, value, title) {
    return html("div", { title }, html("dt", {}, name), html("dd", {}, value));
  }

  function depthOf(member) {
    if ((member.depth ?? null) !== null) return format.rows(member.depth);
    return state.tree ? format.rows(Math.max(...state.tree.reachable.map((id) => state.tree.depth[id]))) : "–";
  }

  function render(next, changed) {
    state = next;
    if (!changed.has("member")) return;
    const current = report.families[state.family];
    const member = current.members[state.member];
    const last = current.members.length - 1;
    family.querySelector("select").value = String(state.family);
    stepper.render(state);
    if (enough) enough.render(state);
    ends.children[0].textContent = leavesText(current.members[0].leaves);
    ends.children[1].textContent = last ? leavesText(current.members[last].leaves) : "";
    renderJumps(current);
    figures.replaceChildren(
      figure("Leaves", format.rows(member.leaves)),
      figure("Depth", depthOf(member)),
      figure(`Training ${error.short}`, error.text(member.cost)),
      figure(`Cross-validated ${error.short}`, cvText(member, error), "mean over the folds ± one standard error"),
    );
    if ((member.errors ?? null) !== null) {
      figures.append(figure(report.table.weighted ? "Wrong weight" : "Wrong rows", `${format.rows(member.errors)} of ${format.rows(report.table.weight)}`));
    }
    if (member.lambda_low !== undefined && current.penalty) {
      // A tree that is the best of its size may be the best for no weight.
      const isForNone = member.lambda_low === null && member.lambda_high === null && current.members.length > 1;
      const interval = isForNone
        ? "none"
        : `[${format.lambda(member.lambda_low)}, ${format.lambda(member.lambda_high)})`;
      figures.append(
        figure(
          "Best for λ in",
          interval,
          "penalty weights for which this tree has the least error + λ · penalty(leaves)",
        ),
      );
    }
    renderProof(current, member);
    renderOthers();
  }

  function renderJumps({ chosen }) {
    jumps.replaceChildren();
    if (!chosen) return;
    const jump = (label, m, title) =>
      button(label, () => actions.select(state.family, m), {
        class: "quiet",
        title,
        "aria-pressed": String(m === state.member),
      });
    if (chosen["1se"] !== undefined)
      jumps.append(
        jump(
          "1-SE choice",
          chosen["1se"],
          "the smallest tree within one standard error of the least cross-validated error",
        ),
      );
    if (chosen.min !== undefined)
      jumps.append(jump("Least error", chosen.min, "the tree with the least cross-validated error"));
  }

  // Green is for the best of all trees of a depth or on a grid, not for the best cut of one tree.
  function badge({ optimal, gap }, { learner }) {
    const isPruning = learner && learner.name === "greedy";
    if (optimal === true && isPruning) return html("span", { class: "badge" }, "best pruning");
    if (optimal === true) return html("span", { class: "badge proven" }, "✓ optimal");
    if (optimal === false) return html("span", { class: "badge open" }, `best found, gap ${format.share(gap ?? 1)}`);
    return html("span", { class: "badge" }, "no proof");
  }

  function renderProof(current, member) {
    proof.replaceChildren(html("p", {}, badge(member, current), " ", member.words || ""));
    const more = [
      current.words,
      (current.seconds ?? null) === null ? "" : `Found in ${format.seconds(current.seconds)}.`,
    ];
    proof.append(html("p", { class: "muted" }, more.filter(Boolean).join(" ")));
  }

  // What each family offers; those that others outdo are folded away, as in the terminal.
  function renderOthers() {
    const isAway = (f) => report.families[f].dominated && f !== state.family && !isUnfolded;
    const away = report.families.filter((_, f) => isAway(f)).length;
    others.replaceChildren(
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          html("th", { scope: "col" }, "Choices"),
          ["leaves", "training", "unseen"].map((name) => html("th", { scope: "col", class: "num" }, name)),
        ),
      ),
    );
    report.families.forEach((one, f) => {
      if (isAway(f)) return;
      const m =
        one.shown ?? (one.chosen && one.chosen["1se"] !== undefined ? one.chosen["1se"] : one.members.length - 1);
      const member = one.members[m];
      others.append(
        html(
          "tr",
          {},
          html(
            "td",
            {},
            button([familyMark(f), one.title], () => actions.select(f, m), {
              class: "link",
              "aria-pressed": String(f === state.family && m === state.member),
            }),
          ),
          [format.rows(member.leaves), error.text(member.cost), hasCv(member) ? error.text(member.cv_error) : "–"].map(
            (text) => html("td", { class: "num" }, text),
          ),
        ),
      );
    });
    if (!away) return;
    const unfold = () => {
      isUnfolded = true;
      renderOthers();
    };
    const words = `${plural(away, "more family does", "more families do")} no better`;
    others.append(html("tr", {}, html("td", { colspan: 4 }, button(words, unfold, { class: "link", id: "unfold" }))));
  }

  return { render };
}
