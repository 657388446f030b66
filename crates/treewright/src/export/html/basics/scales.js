// Axes and colours.

function niceStep(span, most) {
  const raw = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((nice) => nice * power >= raw * 0.999);
  return step * power;
}

// Round numbers in [low, high].
function ticks(low, high, most) {
  if (!(high > low)) return [low];
  const step = niceStep(high - low, most);
  const marks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) {
    marks.push(Number((i * step).toPrecision(12)));
  }
  return marks;
}

// 1, 2, 5, 10, 20, … in [low, high], thinned to powers of ten where there would be too many.
function logTicks(low, high, most) {
  const marks = [];
  for (let power = 1; power <= high; power *= 10) {
    for (const digit of [1, 2, 5]) {
      if (digit * power >= low && digit * power <= high) marks.push(digit * power);
    }
  }
  return marks.length <= most ? marks : marks.filter((mark) => Math.log10(mark) % 1 === 0);
}

function linear(low, high, from, to) {
  const span = high - low || 1;
  return (x) => from + ((x - low) / span) * (to - from);
}

function logarithmic(low, high, from, to) {
  const inner = linear(Math.log(low), Math.log(high), from, to);
  return (x) => inner(Math.log(x));
}

// The first eight classes have colours that people with any kind of colour vision tell apart; those
// beyond get hues a golden angle apart and rely on their labels.
function classColor(index) {
  return index < 8 ? `var(--class-${index})` : `hsl(${Math.round(index * 137.5) % 360} 45% 55%)`;
}

function familyColor(index) {
  return `var(--family-${index % 8})`;
}

// Blue to yellow, ever lighter, so that colour-blind readers and greyscale prints keep the order. The
// blue is light enough to be seen on a dark ground.
const RAMP = [
  [58, 104, 176],
  [98, 128, 172],
  [142, 144, 148],
  [196, 180, 108],
  [250, 228, 70],
];

function rampColor(t) {
  const at = Math.min(1, Math.max(0, t)) * (RAMP.length - 1);
  const i = Math.min(RAMP.length - 2, Math.floor(at));
  const mixed = RAMP[i].map((c, k) => Math.round(c + (RAMP[i + 1][k] - c) * (at - i)));
  return `rgb(${mixed.join(" ")})`;
}

// The colour of an answer: by class, or along the range of the values of the leaves.
function answerColor(report, value) {
  if (report.task !== "regression") return classColor(value);
  const [low, high] = report.valueRange;
  return rampColor((value - low) / (high - low || 1));
}

const MARKERS = [
  (r) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0Z`,
  (r) => `M${-r * 0.9},${-r * 0.9}H${r * 0.9}V${r * 0.9}H${-r * 0.9}Z`,
  (r) => `M0,${-r * 1.2}L${r * 1.1},${r * 0.8}H${-r * 1.1}Z`,
  (r) => `M0,${-r * 1.25}L${r * 1.25},0L0,${r * 1.25}L${-r * 1.25},0Z`,
  (r) => `M0,${r * 1.2}L${r * 1.1},${-r * 0.8}H${-r * 1.1}Z`,
  (r) => {
    const a = r * 0.42,
      b = r * 1.15;
    return `M${-a},${-b}H${a}V${-a}H${b}V${a}H${a}V${b}H${-a}V${a}H${-b}V${-a}H${-a}Z`;
  },
  (r) => `M${-r * 1.35},0L0,${-r * 0.75}L${r * 1.35},0L0,${r * 0.75}Z`,
  (r) => `M${-r * 0.6},${-r * 1.2}H${r * 0.6}V${r * 1.2}H${-r * 0.6}Z`,
];

function marker(index, r) {
  return MARKERS[index % MARKERS.length](r);
}

function familyMark(f) {
  return svg(
    "svg",
    { class: "mark", viewBox: "-8 -8 16 16", "aria-hidden": "true" },
    svg("path", { d: marker(f, 5), fill: familyColor(f) }),
  );
}

// A legend of classes, or of values.
function answerLegend(report) {
  if (report.task === "regression") {
    const [low, high] = report.valueRange;
    const stops = RAMP.map((_, i) => rampColor(i / (RAMP.length - 1))).join(", ");
    return [
      html("span", { class: "num" }, format.value(low)),
      html("span", { class: "ramp", style: `background: linear-gradient(to right, ${stops})` }),
      html("span", { class: "num" }, `${format.value(high)} ${cutName(report.target.name, 30)}`),
    ];
  }
  return report.target.classes.map((name, i) =>
    html(
      "span",
      { class: "key", title: name },
      html("i", { class: "swatch", style: `background: ${classColor(i)}` }),
      cutName(name, 28),
    ),
  );
}
