// The slider again, at the top edge of the window, while the selection itself is scrolled away.

function makeBar(report, actions) {
  const error = measure(report);
  const bar = byId("bar");
  const stepper = makeStepper(report, actions);
  const name = html("span", { class: "bar-title" });
  const figures = html("span", { class: "num" });
  bar.append(html("div", { class: "bar-inner" }, name, stepper.parts, figures));
  // What is still below the window counts as seen.
  const rootMargin = "0px 0px 1000000px 0px";
  new IntersectionObserver(
    ([seen]) => {
      bar.hidden = seen.isIntersecting;
    },
    { rootMargin },
  ).observe(byId("headline"));

  return {
    render(state, changed) {
      if (!changed.has("member")) return;
      const family = report.families[state.family];
      stepper.render(state);
      name.textContent = family.title;
      figures.textContent = memberFigures(family.members[state.member], error).join(" · ");
    },
  };
}
