// The slider again, at the top edge of the window, while the selection itself is scrolled away.

function makeBar(report, actions) {
  const error = measure(report);
  const bar = byId("bar");
  let state = null;
  const slider = html("input", {
    type: "range", min: 0, step: 1, "aria-label": "Size of the tree",
    on: { input: () => actions.select(state.family, Number(slider.value)) },
  });
  const step = (by) => () => actions.select(state.family, state.member + by);
  const smaller = button("‹", step(-1), { class: "step", "aria-label": "Smaller tree" });
  const larger = button("›", step(1), { class: "step", "aria-label": "Larger tree" });
  const name = html("span", { class: "bar-title" });
  const figures = html("span", { class: "num" });
  bar.append(html("div", { class: "bar-inner" }, name, smaller, slider, larger, figures));
  new IntersectionObserver(([seen]) => {
    bar.hidden = seen.isIntersecting || seen.boundingClientRect.top > 0;
  }).observe(byId("selection-card"));

  return {
    render(next, changed) {
      state = next;
      if (!changed.has("member")) return;
      const family = report.families[state.family];
      const member = family.members[state.member];
      const last = family.members.length - 1;
      slider.max = last;
      slider.value = state.member;
      slider.disabled = last === 0;
      smaller.disabled = state.member === 0;
      larger.disabled = state.member === last;
      slider.setAttribute("aria-valuetext", plural(member.leaves, "leaf", "leaves"));
      name.textContent = family.title;
      const parts = [plural(member.leaves, "leaf", "leaves"), `training ${error.text(member.cost)}`];
      if (hasCv(member)) parts.push(`CV ${error.text(member.cv_error)}`);
      figures.textContent = parts.join(" · ");
    },
  };
}
