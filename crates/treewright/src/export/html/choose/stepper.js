// A slider with two buttons that goes along the selected family. The page has two of them.

function makeStepper(report, actions, id) {
  const error = measure(report);
  let at = null;
  const slider = html("input", {
    type: "range",
    min: 0,
    step: 1,
    id,
    "aria-label": "Size of the tree",
    on: { input: () => actions.select(at.family, Number(slider.value)) },
  });
  const step = (by) => () => actions.select(at.family, at.member + by);
  const smaller = button("‹", step(-1), { "aria-label": "Smaller tree", class: "step" });
  const larger = button("›", step(1), { "aria-label": "Larger tree", class: "step" });
  return {
    parts: [smaller, slider, larger],
    render(state) {
      at = state;
      const { members } = report.families[state.family];
      const last = members.length - 1;
      slider.max = last;
      slider.value = state.member;
      slider.disabled = last === 0;
      smaller.disabled = state.member === 0;
      larger.disabled = state.member === last;
      slider.setAttribute("aria-valuetext", memberFigures(members[state.member], error).join(", "));
    },
  };
}

// Size and errors of a tree in a few words.
function memberFigures(member, error) {
  const figures = [leavesText(member.leaves), `training ${error.text(member.cost)}`];
  if (hasCv(member)) figures.push(`cross-validated ${cvText(member, error)}`);
  return figures;
}

function hasCv(member) {
  return (member.cv_error ?? null) !== null;
}

function cvText(member, error) {
  if (!hasCv(member)) return "–";
  const spread = (member.cv_se ?? null) === null ? "" : ` ± ${error.spread(member.cv_se, member.cv_error)}`;
  return `${error.text(member.cv_error)}${spread}`;
}
