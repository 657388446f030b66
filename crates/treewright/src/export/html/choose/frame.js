// The frame of the trade-off curve: its scales and axes.

// From this many leaves on, their axis is logarithmic.
const LOG_FROM = 40;

// `detail` leaves out the bad small trees, so that the differences among the good ones are seen.
// `room` is the height that the card beside it gives.
function curveFrame(report, members, width, detail, room) {
  const height = Math.round(Math.max(Math.min(460, Math.max(250, width * 0.58)), Math.min(640, room)));
  const [left, right, top, bottom] = [54, width - 14, 16, height - 40];
  const most = Math.max(2, ...members.map((member) => member.leaves));
  const spread = (member) => (hasCv(member) ? member.cv_se || 0 : 0);
  const ends = members.flatMap((member) => [
    member.cost,
    shownError(member) + spread(member),
    shownError(member) - spread(member),
  ]);
  if (report.baseline) ends.push(report.baseline.cost);
  let low = Math.max(0, Math.min(...ends));
  let high = Math.max(...ends);
  if (detail) {
    const errors = members.map(shownError).sort((a, b) => a - b);
    const [best, middle] = [errors[0], errors[errors.length >> 1]];
    high = Math.min(high, best + Math.max(2 * (middle - best), 0.5 * best));
    low = Math.max(low, best - (high - best));
  }
  const edge = (high - low || high || 1) * 0.06;
  // An axis that comes near zero begins there.
  low = low < (high - low) * 0.35 ? 0 : Math.max(0, low - edge);
  high += edge;
  const isLog = most > LOG_FROM;
  const x = (isLog ? logarithmic : linear)(1, most, left + 8, right);
  const y = linear(low, high, bottom, top);
  return { width, height, left, right, top, bottom, most, low, high, isLog, x, y };
}

// What a point of the curve stands for: the cross-validated error where there is one.
function shownError(member) {
  return hasCv(member) ? member.cv_error : member.cost;
}

function curveAxes(report, frame) {
  const { width, height, left, right, bottom, most, low, high, isLog, x, y } = frame;
  const axes = svg("g", { class: "axes" });
  const marks = ticks(low, high, 6);
  for (const mark of marks) {
    axes.append(
      svg("line", { class: "grid", x1: left, x2: right, y1: y(mark), y2: y(mark) }),
      svg("text", { x: left - 8, y: y(mark) + 4, "text-anchor": "end" }, tickText(report, mark, marks)),
    );
  }
  const sizes = isLog
    ? logTicks(1, most, width / 45)
    : ticks(1, most, Math.min(10, width / 55)).filter(Number.isInteger);
  if (!sizes.includes(1)) sizes.unshift(1);
  for (const size of sizes) {
    axes.append(
      svg("line", { class: "tick", x1: x(size), x2: x(size), y1: bottom, y2: bottom + 4 }),
      svg("text", { x: x(size), y: bottom + 17, "text-anchor": "middle" }, format.rows(size)),
    );
  }
  const sizeName = `leaves${isLog ? " (logarithmic)" : ""}`;
  axes.append(
    svg("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    svg("text", { class: "label", x: right, y: height - 5, "text-anchor": "end" }, sizeName),
    svg("text", { class: "label", x: 2, y: 10 }, measure(report).name),
  );
  if (report.baseline && report.baseline.cost <= high) {
    const level = y(report.baseline.cost);
    axes.append(
      svg("line", { class: "baseline", x1: left, x2: right, y1: level, y2: level }),
      svg("text", { class: "label", x: right, y: level - 5, "text-anchor": "end" }, "a single leaf"),
    );
  }
  return axes;
}

// As many decimals as the marks of the axis need, the same for all.
function tickText(report, mark, marks) {
  if (report.task === "regression" || report.target.costs) return significant(mark, 4);
  const decimals = Math.max(...marks.map((one) => (significant(100 * one, 6).split(".")[1] || "").length));
  return `${(100 * mark).toFixed(decimals)}${PERCENT}`;
}
