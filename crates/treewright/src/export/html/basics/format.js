// Numbers and names for people.

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const groupedTenths = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

// Digits that matter, without zeros at the end.
function significant(x, digits) {
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e7 || size < 1e-4) return Number(x.toPrecision(digits)).toExponential().replace("e+", "e");
  if (size >= 10 ** digits) return grouped.format(x);
  return String(Number(x.toPrecision(digits)));
}

// The sign stays with its number.
const PERCENT = "\u00a0%";

// As the program rounds: a number in the middle goes to the even digit.
function fixed(x, digits) {
  const text = x.toFixed(digits);
  const tie = `5${"0".repeat(19 - digits)}`;
  if (!Math.abs(x).toFixed(20).endsWith(tie)) return text;
  const isOdd = Number(text.at(-1)) % 2 === 1;
  return isOdd ? (x - Math.sign(x) * 0.5 * 10 ** -digits).toFixed(digits) : text;
}

const format = {
  // A number of rows, or a weight of rows.
  rows(x) {
    if (Number.isInteger(x)) return grouped.format(x);
    return Math.abs(x) >= 1000 ? groupedTenths.format(x) : significant(x, 4);
  },
  share(x) {
    if (x > 0 && x < 0.0005) return `< 0.1${PERCENT}`;
    if (x < 1 && x > 0.9995) return `> 99.9${PERCENT}`;
    return `${fixed(100 * x, 1)}${PERCENT}`;
  },
  // The same with two digits behind the point where the first would say little: as the answer is written.
  percent(x) {
    return format.spread(x, x);
  },
  // A share with as many digits as the share that it belongs to.
  spread(x, of) {
    return `${fixed(100 * x, of === 0 || Math.abs(of) >= 0.0095 ? 1 : 2)}${PERCENT}`;
  },
  whole(x) {
    return `${significant(100 * x, 3)}${PERCENT}`;
  },
  // As written in the model: reads back as the same number.
  exact(x) {
    return String(x).replace("e+", "e");
  },
  // Exact unless that is too long for a label.
  brief(x) {
    const exact = format.exact(x);
    return exact.length <= 9 ? exact : significant(x, 6);
  },
  // Four digits, as in the answer.
  value(x) {
    return significant(x, 4);
  },
  // The same with zeros at the end, as the answer has them; a second figure has the decimals of the first.
  figure(x, of = x) {
    const size = Math.floor(Math.log10(Math.abs(of)));
    if (!Number.isFinite(size) || size < -4 || size >= 9) return format.value(x);
    const decimals = Math.max(0, 3 - size);
    return x.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  },
  lambda(x) {
    return (x ?? null) === null ? "∞" : significant(x, 3);
  },
  seconds(x) {
    return x < 1 ? `${significant(1000 * x, 2)} ms` : `${significant(x, 3)} s`;
  },
};

// Long names are cut where room is short; the whole name is in the title.
function cutName(name, most) {
  const letters = Array.from(name);
  return letters.length <= most ? name : `${letters.slice(0, most - 1).join("")}…`;
}

const pen = document.createElement("canvas").getContext("2d");
// Asked for once: every question about styles makes the browser lay out the page anew.
const FONT = getComputedStyle(document.body).fontFamily;

// The width of a text in pixels, at a size and weight of the page's font.
function textWidth(text, size, weight = 400) {
  pen.font = `${weight} ${size}px ${FONT}`;
  return pen.measureText(text).width;
}

// As much of a name as fits into this many pixels.
function fitName(name, pixels, size, weight) {
  const letters = Array.from(name);
  let [low, high] = [1, letters.length];
  if (textWidth(name, size, weight) <= pixels) return name;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(`${letters.slice(0, middle).join("")}…`, size, weight) <= pixels) low = middle;
    else high = middle - 1;
  }
  return `${letters.slice(0, low).join("")}…`;
}

function plural(n, one, many) {
  return `${format.rows(n)} ${n === 1 ? one : many || `${one}s`}`;
}

function leavesText(n) {
  return plural(n, "leaf", "leaves");
}

// "a", "a and b", "a, b and c".
function listing(parts, last = "and") {
  if (parts.length < 2) return parts.join("");
  return `${parts.slice(0, -1).join(", ")} ${last} ${parts[parts.length - 1]}`;
}
