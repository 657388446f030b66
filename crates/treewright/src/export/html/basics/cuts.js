// Cuts for people: as few digits as still lie between the same two sampled values. Files and texts keep all digits.

const FEWEST_DIGITS = 3;
const MOST_DIGITS = 6;
// What is as short as this is not rounded.
const SHORT = 6;

const columnsInOrder = new Map();

function columnInOrder(report, feature) {
  if (!columnsInOrder.has(feature)) {
    const known = report.sample.columns[feature].filter((value) => value !== null);
    columnsInOrder.set(feature, Float64Array.from(known).sort());
  }
  return columnsInOrder.get(feature);
}

// The greatest sampled value below a number and the least one above; the number itself where it is sampled.
function neighbours(report, feature, number) {
  const values = columnInOrder(report, feature);
  let [from, to] = [0, values.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (values[middle] < number) from = middle + 1;
    else to = middle;
  }
  return [values[from - 1] ?? -Infinity, values[from] ?? Infinity];
}

// `beside` is a value that stands next to the cut: it must stay on its side.
function cutText(report, feature, cut, beside = null) {
  const exact = format.exact(cut);
  if (exact.length <= SHORT) return exact;
  if (!report.sample) return format.brief(cut);
  const [below, above] = neighbours(report, feature, cut);
  const keepsSide = (number) => beside === null || Math.sign(beside - number) === Math.sign(beside - cut);
  const isBetween = (number) => below < number && number < above && keepsSide(number);
  // Never so few that digits before the point become zeros.
  const whole = Math.floor(Math.log10(Math.abs(cut))) + 1;
  // A sampled value on the cut belongs to one side, which a shorter number would not tell.
  for (let digits = above === cut ? MOST_DIGITS : Math.max(FEWEST_DIGITS, whole); digits < MOST_DIGITS; digits++) {
    const number = Number(cut.toPrecision(digits));
    if (isBetween(number)) return format.exact(number);
  }
  const number = Number(cut.toPrecision(Math.max(MOST_DIGITS, whole)));
  return keepsSide(number) ? format.exact(number) : exact;
}
