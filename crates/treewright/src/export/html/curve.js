// The trade-off curve: error against leaves, all families together. A point is a tree.

const LOG_FROM = 40;
const MOST_ERROR_BARS = 40;

function makeCurve(report, actions) {
  const box = byId("curve");
  const error = measure(report);
  const hidden = new Set();
  let state = null;
  let points = [];
  let detail = false;
  const clip = "curve-clip";

  const legend = report.families.map((family, f) => button(
    [
      familyMark(f),
      family.title,
    ],
    () => {
      if (hidden.has(f)) hidden.delete(f);
      else hidden.add(f);
      legend[f].setAttribute("aria-pressed", String(!hidden.has(f)));
      draw();
    },
    { class: "toggle", "aria-pressed": "true", title: "Show or hide this family" },
  ));
  byId("legend").append(...legend);
  byId("curve-tools").append(
    checkbox("detail", false, (on) => { detail = on; draw(); }),
    ...saveButtons(() => box.querySelector("svg"), () => "error-against-size", report.families.map(({ title }, f) => ({ text: title, color: familyColor(f), shape: marker(f, 5) }))),
  );

  function draw() {
    if (!state) return;
    const hadFocus = box.contains(document.activeElement);
    const shown = report.families.map((family, f) => ({ family, f })).filter(({ f }) => !hidden.has(f) || f === state.family);
    const width = Math.max(300, boxWidth());
    const height = Math.round(Math.min(460, Math.max(250, width * 0.58)));
    const margin = { left: 54, right: 14, top: 16, bottom: 40 };

    const all = shown.flatMap(({ family }) => family.members);
    const most = Math.max(2, ...all.map((member) => member.leaves));
    const ends = all.flatMap((member) => [member.cost, hasCv(member) ? member.cv_error + (member.cv_se || 0) : member.cost, hasCv(member) ? member.cv_error - (member.cv_se || 0) : member.cost]);
    if (report.baseline) ends.push(report.baseline.cost);
    let low = Math.max(0, Math.min(...ends));
    let high = Math.max(...ends);
    if (detail) {
      // Where the good trees are; the worst small ones run out of the picture.
      const errors = all.map((member) => (hasCv(member) ? member.cv_error : member.cost));
      const middle = errors.slice().sort((a, b) => a - b)[errors.length >> 1];
      const best = Math.min(...errors);
      high = Math.min(high, best + Math.max(2 * (middle - best), 0.5 * best));
      low = Math.max(low, best - (high - best));
    }
    const room = (high - low || high || 1) * 0.06;
    low = low < (high - low) * 0.35 ? 0 : Math.max(0, low - room);
    const isLog = most > LOG_FROM;
    const xScale = isLog ? logarithmic(1, most, margin.left + 8, width - margin.right) : linear(1, most, margin.left + 8, width - margin.right);
    const yScale = linear(low, high + room, height - margin.bottom, margin.top);

    const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "plot" });
    const axes = svg("g", { class: "axes" });
    const marks = ticks(low, high + room, 6);
    for (const mark of marks) {
      const y = yScale(mark);
      axes.append(
        svg("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: y, y2: y }),
        svg("text", { x: margin.left - 8, y: y + 4, "text-anchor": "end" }, tickText(mark, marks)),
      );
    }
    const xMarks = isLog ? logTicks(1, most, width / 45) : ticks(1, most, Math.min(10, width / 55)).filter(Number.isInteger);
    if (!isLog && !xMarks.includes(1)) xMarks.unshift(1);
    for (const mark of xMarks) {
      const x = xScale(mark);
      axes.append(
        svg("line", { class: "tick", x1: x, x2: x, y1: height - margin.bottom, y2: height - margin.bottom + 4 }),
        svg("text", { x, y: height - margin.bottom + 17, "text-anchor": "middle" }, format.rows(mark)),
      );
    }
    axes.append(
      svg("line", { class: "axis", x1: margin.left, x2: width - margin.right, y1: height - margin.bottom, y2: height - margin.bottom }),
      svg("text", { class: "label", x: width - margin.right, y: height - 5, "text-anchor": "end" }, `leaves${isLog ? " (logarithmic)" : ""}`),
      svg("text", { class: "label", x: 2, y: 10 }, error.name),
    );
    if (report.baseline && report.baseline.cost <= high) {
      const y = yScale(report.baseline.cost);
      axes.append(
        svg("line", { class: "baseline", x1: margin.left, x2: width - margin.right, y1: y, y2: y }),
        svg("text", { class: "label", x: width - margin.right, y: y - 5, "text-anchor": "end" }, "a single leaf"),
      );
    }
    drawing.append(axes);

    // The selected family is drawn last, on top of the others.
    const order = shown.slice().sort((a, b) => (a.f === state.family) - (b.f === state.family));
    points = [];
    const list = svg("g", { role: "listbox", "aria-label": "Trees by size and error; arrow keys move", "aria-orientation": "horizontal", "clip-path": `url(#${clip})` });
    drawing.append(svg("clipPath", { id: clip }, svg("rect", { x: margin.left - 8, y: margin.top - 12, width: width - margin.left - margin.right + 20, height: height - margin.bottom - margin.top + 18 })));
    for (const { family, f } of order) list.append(drawFamily(family, f, xScale, yScale, drawing, margin, width));
    drawing.append(list);
    points = points.filter(({ y }) => y >= margin.top - 6 && y <= height - margin.bottom + 6);

    const selected = points.find((point) => point.f === state.family && point.m === state.member);
    if (selected) {
      drawing.append(svg("path", { class: "selected-ring", d: marker(0, 10), transform: `translate(${selected.x},${selected.y})` }));
    }
    drawing.addEventListener("pointermove", (event) => {
      const point = nearest(event);
      drawing.style.cursor = point ? "pointer" : "";
      if (point) tip.show(memberLines(point.f, point.m), event.clientX, event.clientY);
      else tip.hide();
    });
    drawing.addEventListener("pointerleave", tip.hide);
    drawing.addEventListener("click", (event) => {
      const point = nearest(event);
      if (point) actions.select(point.f, point.m);
    });
    drawing.addEventListener("keydown", move);
    box.replaceChildren(drawing);
    if (hadFocus) focusSelected();
  }

  function drawFamily(family, f, xScale, yScale, drawing, margin, width) {
    const own = f === state.family;
    const color = familyColor(f);
    const group = svg("g", { class: own ? "family own" : "family", role: "group", "aria-label": family.title, style: `--color: ${color}` });
    const cv = family.members.filter(hasCv);
    const line = (members, y) => members.map((member, i) => `${i ? "L" : "M"}${xScale(member.leaves).toFixed(1)},${yScale(y(member)).toFixed(1)}`).join("");
    group.append(svg("path", { class: "training", d: line(family.members, (member) => member.cost) }));
    if (cv.length) group.append(svg("path", { class: "validated", d: line(cv, (member) => member.cv_error) }));
    const every = Math.ceil(cv.length / MOST_ERROR_BARS);
    const chosen = family.chosen || {};
    if (own && chosen.min !== undefined && hasCv(family.members[chosen.min])) {
      const best = family.members[chosen.min];
      const y = yScale(best.cv_error + (best.cv_se || 0));
      drawing.append(
        svg("line", { class: "one-se", x1: margin.left, x2: width - margin.right, y1: y, y2: y, style: `--color: ${color}` }),
      );
    }
    const size = family.members.length > 60 ? 2.6 : 4.2;
    family.members.forEach((member, m) => {
      const x = xScale(member.leaves);
      const isSelected = own && m === state.member;
      const isChosen = m === chosen.min || m === chosen["1se"];
      if (hasCv(member)) {
        if (member.cv_se && (m % every === 0 || isSelected || isChosen)) {
          const [top, bottom] = [yScale(member.cv_error + member.cv_se), yScale(member.cv_error - member.cv_se)];
          group.append(svg("path", { class: "bar", d: `M${x},${top}V${bottom}M${x - 3},${top}h6M${x - 3},${bottom}h6` }));
        }
        if (size > 3) group.append(svg("path", { class: "small", d: marker(f, size * 0.55), transform: `translate(${x},${yScale(member.cost)})` }));
        points.push({ f, m, x, y: yScale(member.cost), training: true });
      }
      const y = yScale(hasCv(member) ? member.cv_error : member.cost);
      const mark = svg("path", {
        class: hasCv(member) ? "point" : "point hollow",
        d: marker(f, size),
        transform: `translate(${x},${y})`,
        role: "option",
        tabindex: isSelected ? 0 : -1,
        "aria-selected": String(isSelected),
        "aria-label": memberLines(f, m).join(", "),
        "data-family": f,
        "data-member": m,
        on: { focus: () => { if (state.family !== f || state.member !== m) actions.select(f, m); } },
      });
      group.append(mark);
      points.unshift({ f, m, x, y });
      if (isChosen) {
        group.append(svg("path", { class: "chosen", d: marker(0, size + 3.2), transform: `translate(${x},${y})` }));
        if (own) {
          const top = yScale(hasCv(member) ? member.cv_error + (member.cv_se || 0) : member.cost) - 9;
          group.append(chosenText(family, m, xScale, top, width - margin.right));
        }
      }
    });
    return group;
  }

  // The names of the two choices, side by side where they would cover each other.
  function chosenText(family, m, xScale, y, right) {
    const { min, "1se": small } = family.chosen;
    const at = (i) => xScale(family.members[i].leaves);
    const text = min === small ? "min = 1-SE" : m === min ? "min" : "1-SE";
    const half = textWidth(text, 11.5, 600) / 2;
    let x = Math.min(at(m), right - half);
    if (min !== small && min !== undefined && small !== undefined) {
      const apart = at(min) - at(small);
      if (apart >= 0 && apart < 36) {
        const middle = Math.min((at(min) + at(small)) / 2, right - 30);
        x = middle + (m === min ? 16 : -18);
      }
    }
    return svg("text", { class: "chosen-text", x, y, "text-anchor": "middle" }, text);
  }

  // As many decimals as the marks of the axis need, the same for all.
  function tickText(mark, marks) {
    if (report.task === "regression" || report.target.costs) return significant(mark, 4);
    const decimals = Math.max(...marks.map((one) => (significant(100 * one, 6).split(".")[1] || "").length));
    return `${(100 * mark).toFixed(decimals)}%`;
  }

  function memberLines(f, m) {
    const family = report.families[f];
    const member = family.members[m];
    const lines = [family.title, ...memberFigures(member, error)];
    const chosen = family.chosen || {};
    if (chosen.min === m) lines.push("least cross-validated error");
    if (chosen["1se"] === m) lines.push("smallest within one standard error");
    return lines;
  }

  function nearest(event) {
    const drawing = box.querySelector("svg");
    const frame = drawing.getBoundingClientRect();
    const x = event.clientX - frame.left;
    const y = event.clientY - frame.top;
    let best = null;
    let least = 26 * 26;
    for (const point of points) {
      const distance = (point.x - x) ** 2 + (point.y - y) ** 2;
      if (distance < least) [best, least] = [point, distance];
    }
    return best;
  }

  // Left and right go along the family, up and down to the tree of about that size in another one.
  function move(event) {
    const { members } = report.families[state.family];
    const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const across = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    let target = null;
    if (along) target = [state.family, state.member + along];
    else if (event.key === "Home") target = [state.family, 0];
    else if (event.key === "End") target = [state.family, members.length - 1];
    else if (across) {
      const visible = report.families.map((_, f) => f).filter((f) => !hidden.has(f) || f === state.family);
      const f = visible[visible.indexOf(state.family) + across];
      if (f !== undefined) target = [f, closestMember(report.families[f], members[state.member].leaves)];
    }
    if (!target) return;
    event.preventDefault();
    if (report.families[target[0]].members[target[1]]) actions.select(...target);
  }

  function focusSelected() {
    const mark = box.querySelector('[role="option"][aria-selected="true"]');
    if (mark) mark.focus({ preventScroll: true });
  }

  const withCv = report.families.some((family) => family.members.some(hasCv));
  byId("curve-note").textContent = withCv
    ? "Filled marks and solid lines: cross-validated, with one standard error. Small marks and dashed lines: training rows. Circled: the least cross-validated error (min) and the smallest tree within one standard error of it (1-SE, dotted line)."
    : "Error on the training rows; nothing was cross-validated.";
  const boxWidth = onWidth(box, draw);
  return {
    render(next, changed) {
      state = next;
      if (changed.has("member")) draw();
    },
  };
}

// The member with about so many leaves.
function closestMember(family, leaves) {
  let best = 0;
  family.members.forEach((member, m) => {
    if (Math.abs(member.leaves - leaves) < Math.abs(family.members[best].leaves - leaves)) best = m;
  });
  return best;
}
