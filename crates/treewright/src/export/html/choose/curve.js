// The trade-off curve: error against leaves, all families together. A point is a tree.

const MOST_ERROR_BARS = 40;
const MANY_MEMBERS = 60;
// How far a click may miss a point, in pixels.
const REACH = 26;

function makeCurve(report, actions) {
  const box = byId("curve");
  const error = measure(report);
  const hidden = new Set();
  let state = null;
  let points = [];
  let detail = false;

  const legend = report.families.map((family, f) =>
    button([familyMark(f), family.title], () => toggle(f), {
      class: "toggle",
      "aria-pressed": "true",
      title: "Show or hide this family",
    }),
  );
  byId("legend").append(...legend);
  byId("curve-tools").append(
    checkbox("detail", false, (on) => {
      detail = on;
      draw();
    }),
    ...saveButtons(
      () => box.querySelector("svg"),
      () => "error-against-size",
      report.families.map(({ title }, f) => ({ text: title, color: familyColor(f), shape: marker(f, 5) })),
    ),
  );

  function toggle(f) {
    if (hidden.has(f)) hidden.delete(f);
    else hidden.add(f);
    legend[f].setAttribute("aria-pressed", String(!hidden.has(f)));
    draw();
  }

  // The selected family is always there.
  function visible() {
    return report.families.map((_, f) => f).filter((f) => !hidden.has(f) || f === state.family);
  }

  // Down to the end of the selection, where that stands beside the curve.
  function roomBeside() {
    const [own, side] = [box, byId("selection")].map((one) => one.getBoundingClientRect());
    return side.left > own.right ? side.bottom - own.top - byId("curve-note").offsetHeight - 8 : 0;
  }

  function draw() {
    if (!state) return;
    const hadFocus = box.contains(document.activeElement);
    const members = visible().flatMap((f) => report.families[f].members);
    const frame = curveFrame(report, members, Math.max(300, boxWidth()), detail, roomBeside());
    const { width, height, left, right, top, bottom } = frame;
    const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "plot" });
    const list = svg("g", {
      role: "listbox",
      "aria-label": "Trees by size and error; arrow keys move",
      "aria-orientation": "horizontal",
      "clip-path": "url(#curve-clip)",
    });
    const inside = { x: left - 8, y: top - 12, width: right - left + 20, height: bottom - top + 18 };
    drawing.append(
      curveAxes(report, frame),
      svg("clipPath", { id: "curve-clip" }, svg("rect", inside)),
      oneStandardError(frame),
      list,
    );
    points = [];
    // The selected family is drawn last, on top of the others.
    const order = visible().sort((a, b) => (a === state.family) - (b === state.family));
    list.append(...order.map((f) => drawFamily(f, frame)));
    points = points.filter(({ y }) => y >= top - 6 && y <= bottom + 6);
    const selected = points.find((point) => point.f === state.family && point.m === state.member && !point.training);
    if (selected) {
      const place = `translate(${selected.x},${selected.y})`;
      drawing.append(svg("path", { class: "selected-ring", d: marker(0, 10), transform: place }));
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
    const mark = box.querySelector('[role="option"][aria-selected="true"]');
    if (hadFocus && mark) mark.focus({ preventScroll: true });
  }

  // The line below which a tree of the selected family counts as good as the best.
  function oneStandardError({ left, right, low, high, y }) {
    const { chosen, members } = report.families[state.family];
    const best = chosen && members[chosen.min];
    const level = best && hasCv(best) ? best.cv_error + (best.cv_se || 0) : null;
    if (level === null || level < low || level > high) return svg("g");
    const style = `--color: ${familyColor(state.family)}`;
    return svg("line", { class: "one-se", x1: left, x2: right, y1: y(level), y2: y(level), style });
  }

  function drawFamily(f, frame) {
    const family = report.families[f];
    const own = f === state.family;
    const group = svg("g", {
      class: own ? "family own" : "family",
      role: "group",
      "aria-label": family.title,
      style: `--color: ${familyColor(f)}`,
    });
    const validated = family.members.filter(hasCv);
    const line = (members, value) =>
      members
        .map((member, i) => `${i ? "L" : "M"}${frame.x(member.leaves).toFixed(1)},${frame.y(value(member)).toFixed(1)}`)
        .join("");
    group.append(svg("path", { class: "training", d: line(family.members, (member) => member.cost) }));
    if (validated.length) group.append(svg("path", { class: "validated", d: line(validated, shownError) }));
    const every = Math.ceil(validated.length / MOST_ERROR_BARS) || 1;
    family.members.forEach((_, m) => group.append(...drawMember(f, m, frame, m % every === 0)));
    return group;
  }

  function drawMember(f, m, frame, withBar) {
    const { members, chosen } = report.families[f];
    const member = members[m];
    const isOwn = f === state.family;
    const isSelected = isOwn && m === state.member;
    const isChosen = Boolean(chosen) && (m === chosen.min || m === chosen["1se"]);
    const size = members.length > MANY_MEMBERS ? 2.6 : 4.2;
    const x = frame.x(member.leaves);
    const y = frame.y(shownError(member));
    const parts = [];
    let top = y;
    if (hasCv(member)) {
      const training = frame.y(member.cost);
      top = frame.y(member.cv_error + (member.cv_se || 0));
      if (member.cv_se && (withBar || isSelected || isChosen)) {
        const low = frame.y(member.cv_error - member.cv_se);
        parts.push(svg("path", { class: "bar", d: `M${x},${top}V${low}M${x - 3},${top}h6M${x - 3},${low}h6` }));
      }
      if (members.length <= MANY_MEMBERS) {
        const place = `translate(${x},${training})`;
        parts.push(svg("path", { class: "small", d: marker(f, size * 0.55), transform: place }));
      }
      points.push({ f, m, x, y: training, training: true });
    }
    points.unshift({ f, m, x, y });
    parts.push(
      svg("path", {
        class: hasCv(member) ? "point" : "point hollow",
        d: marker(f, size),
        transform: `translate(${x},${y})`,
        role: "option",
        tabindex: isSelected ? 0 : -1,
        "aria-selected": String(isSelected),
        "aria-label": memberLines(f, m).join(", "),
        "data-family": f,
        "data-member": m,
        on: {
          focus: () => {
            if (state.family !== f || state.member !== m) actions.select(f, m);
          },
        },
      }),
    );
    if (isChosen) {
      parts.push(svg("path", { class: "chosen", d: marker(0, size + 3.2), transform: `translate(${x},${y})` }));
      if (isOwn) parts.push(chosenText(report.families[f], m, frame, top - 9));
    }
    return parts;
  }

  // The names of the two choices, side by side where they would cover each other.
  function chosenText(family, m, frame, y) {
    const { min, "1se": small } = family.chosen;
    const at = (i) => frame.x(family.members[i].leaves);
    const text = min === small ? "min = 1-SE" : m === min ? "min" : "1-SE";
    const half = textWidth(text, 11.5, 600) / 2;
    let x = Math.max(frame.left - 6 + half, Math.min(at(m), frame.right - half));
    if (min !== small && min !== undefined && small !== undefined && at(min) - at(small) < 36) {
      const middle = Math.min((at(min) + at(small)) / 2, frame.right - 30);
      x = middle + (m === min ? 16 : -18);
    }
    return svg("text", { class: "chosen-text", x, y, "text-anchor": "middle" }, text);
  }

  function memberLines(f, m) {
    const { title, members, chosen } = report.families[f];
    const lines = [title, ...memberFigures(members[m], error)];
    if (chosen && chosen.min === m) lines.push("least cross-validated error");
    if (chosen && chosen["1se"] === m) lines.push("smallest within one standard error");
    return lines;
  }

  function nearest(event) {
    const { left, top } = box.querySelector("svg").getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    let best = null;
    let least = REACH * REACH;
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
      const f = visible()[visible().indexOf(state.family) + across];
      if (f !== undefined) target = [f, closestMember(report.families[f], members[state.member].leaves)];
    }
    if (!target) return;
    event.preventDefault();
    if (report.families[target[0]].members[target[1]]) actions.select(...target);
  }

  byId("curve-note").textContent = report.families.some((family) => family.members.some(hasCv))
    ? "Filled marks and solid lines: cross-validated, with one standard error. Small marks and dashed lines: training " +
      "rows. Circled: the least cross-validated error (min) and the smallest tree within one standard error of it " +
      "(1-SE, dotted line)."
    : "Error on the training rows; nothing was cross-validated.";
  const boxWidth = onWidth(box, draw);
  // The selection grows and shrinks with what it says.
  let tall = 0;
  new ResizeObserver(([{ contentRect }]) => {
    const isOther = Math.abs(contentRect.height - tall) > 2;
    tall = contentRect.height;
    if (isOther) requestAnimationFrame(draw);
  }).observe(byId("selection"));
  return {
    render(next, changed) {
      state = next;
      if (changed.has("member")) draw();
    },
  };
}

// The member with about this many leaves.
function closestMember(family, leaves) {
  let best = 0;
  family.members.forEach((member, m) => {
    if (Math.abs(member.leaves - leaves) < Math.abs(family.members[best].leaves - leaves)) best = m;
  });
  return best;
}
