// The exact interval (Clopper and Pearson) for a share, as the library computes it: quantiles of beta distributions,
// by bisection of the incomplete beta function, that by its continued fraction.

const CONFIDENCE = 0.95;

function exactInterval(successes, trials) {
  const tail = (1 - CONFIDENCE) / 2;
  return [
    successes === 0 ? 0 : betaQuantile(tail, successes, trials - successes + 1),
    successes === trials ? 1 : 1 - betaQuantile(tail, trials - successes, successes + 1),
  ];
}

function betaQuantile(probability, a, b) {
  let [low, high] = [0, 1];
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high || high - low < 1e-15) return middle;
    if (incompleteBeta(middle, a, b) < probability) low = middle;
    else high = middle;
  }
}

function incompleteBeta(x, a, b) {
  if (x <= 0 || x >= 1) return x;
  const front = Math.exp(lnGamma(a + b) - lnGamma(a) - lnGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

function betaFraction(x, a, b) {
  const away = (number) => (Math.abs(number) < 1e-300 ? 1e-300 : number);
  let upper = 1;
  let lower = 1 / away(1 - ((a + b) * x) / (a + 1));
  let value = lower;
  for (let m = 1; m < 1e6; m++) {
    let change = 1;
    for (const part of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
    ]) {
      lower = 1 / away(1 + part * lower);
      upper = away(1 + part / upper);
      change = lower * upper;
      value *= change;
    }
    if (Math.abs(change - 1) < 1e-15) break;
  }
  return value;
}

function lnGamma(x) {
  let product = 1;
  let at = x;
  while (at < 15) {
    product *= at;
    at += 1;
  }
  const s = at * at;
  const series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / (1188 * s)) / s) / s) / s) / at;
  return (at - 0.5) * Math.log(at) - at + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product);
}
