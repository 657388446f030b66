// From which predicted share on a row is taken for the positive class: as the tree answers, above a threshold, or where
// the mistakes cost least.

// The slider of costs goes from 1 : this to this : 1.
const DEAREST = 100;

// What is taken for positive if rows with at least the share at this place of the list are; before the first, none.
function takenAt(ranking, place) {
  const { true_positives: right, false_positives: wrong } = ranking.thresholds;
  return place < 0 ? { right: 0, wrong: 0 } : { right: right[place], wrong: wrong[place] };
}

// The place with the least cost, if a positive row that is missed costs `ratio` times a false alarm.
function cheapestPlace(ranking, ratio) {
  let [best, least] = [-1, ratio * ranking.positives];
  ranking.thresholds.share.forEach((_, place) => {
    const cost = costOf(ranking, takenAt(ranking, place), ratio);
    if (cost < least) [best, least] = [place, cost];
  });
  return best;
}

function costOf(ranking, { right, wrong }, ratio) {
  return ratio * (ranking.positives - right) + wrong;
}

// What the tree itself takes for positive, from its confusion matrix.
function takenByTree(table, positive) {
  const wrong = table.reduce((sum, row, i) => (i === positive ? sum : sum + row[positive]), 0);
  return { right: table[positive][positive], wrong };
}

// Two sliders and what they say. `changed` is called with what is taken, and whether that is as the tree answers.
function makeThreshold(report, quality, changed) {
  const { ranking } = quality;
  const { share } = ranking.thresholds;
  const positive = report.target.classes.indexOf(ranking.positive);
  const own = takenByTree(quality.confusion, positive);
  const name = cutName(ranking.positive, 20);
  let place = null;
  const taken = () => (place === null ? own : takenAt(ranking, place));

  const threshold = html("input", {
    type: "range",
    id: "threshold",
    min: -1,
    max: share.length - 1,
    step: 1,
    "aria-label": "Threshold of the predicted share",
    on: { input: () => use(Number(threshold.value)) },
  });
  const cost = html("input", {
    type: "range",
    id: "cost",
    min: -40,
    max: 40,
    step: 1,
    value: 0,
    "aria-label": "Cost of a missed row against that of a false alarm",
    on: { input: () => use(cheapestPlace(ranking, ratio())) },
  });
  const reset = button("As the tree answers", () => use(null), { class: "quiet", id: "as-tree" });
  const words = html("p", { class: "words", id: "threshold-words" });
  const costWords = html("p", { class: "words", id: "cost-words" });

  function ratio() {
    return DEAREST ** (Number(cost.value) / 40);
  }

  function use(next) {
    place = next;
    say();
    changed(taken(), place === null);
  }

  function say() {
    threshold.value = String(place ?? nearest());
    reset.setAttribute("aria-pressed", String(place === null));
    const at = place === null ? null : share[place];
    words.textContent =
      place === null
        ? "As the tree answers."
        : place < 0
          ? `No row is taken for “${name}”.`
          : `Taken for “${name}”: rows with a predicted share of at least ${format.share(at)}.`;
    const times = ratio();
    const dear =
      times >= 1
        ? `A missed “${name}” costs as much as ${plural(Number(significant(times, 2)), "false alarm")}`
        : `A false alarm costs as much as ${significant(1 / times, 2)} missed “${name}”`;
    const all = ranking.positives + ranking.negatives;
    const perRow = (what) => significant(costOf(ranking, what, times) / all, 3);
    const best = takenAt(ranking, cheapestPlace(ranking, times));
    costWords.textContent =
      `${dear}. Cost per row, in false alarms: ${perRow(taken())} now, ${perRow(best)} at the best threshold, ` +
      `${perRow(own)} as the tree answers.`;
    threshold.setAttribute("aria-valuetext", words.textContent);
    cost.setAttribute("aria-valuetext", dear);
  }

  // The place that takes about as many rows as the tree does.
  function nearest() {
    let best = -1;
    for (let i = 0; i < share.length; i++) {
      const { right, wrong } = takenAt(ranking, i);
      if (right + wrong <= own.right + own.wrong) best = i;
    }
    return best;
  }

  say();
  return {
    taken,
    positive,
    parts: html(
      "div",
      { class: "threshold" },
      html("label", {}, html("span", {}, "Threshold"), threshold),
      words,
      html("label", {}, html("span", {}, "Costs"), cost),
      costWords,
      reset,
    ),
  };
}

// The confusion matrix of two classes if this is taken for positive.
function confusionAt(ranking, positive, { right, wrong }) {
  const table = [
    [0, 0],
    [0, 0],
  ];
  const other = 1 - positive;
  table[positive][positive] = right;
  table[positive][other] = ranking.positives - right;
  table[other][positive] = wrong;
  table[other][other] = ranking.negatives - wrong;
  return table;
}
