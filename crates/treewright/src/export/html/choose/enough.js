// Which tree is good enough: of all trees judged on rows left out the one with the fewest leaves that is hardly worse
// than the best, within one standard error or a number of points.

const BY_HAND = "hand";
const TOLERANCES = [0, 0.002, 0.005, 0.01, 0.02, 0.05];

// The place of that tree, or `null`; without a tolerance one standard error counts.
function goodEnough(report, tolerance) {
  const all = report.families.flatMap(({ members }, f) => members.map((member, m) => ({ f, m, member })));
  const judged = all.filter(({ member }) => hasCv(member));
  if (!judged.length) return null;
  const least = judged.reduce((best, one) => (one.member.cv_error < best.member.cv_error ? one : best)).member;
  const single = judged.find(({ member }) => member.leaves === 1);
  // In regression it is a share of what a single leaf is off.
  const unit = report.task === "regression" && single ? single.member.cv_error : 1;
  const most = least.cv_error + (tolerance === null ? least.cv_se || 0 : tolerance * unit);
  const good = judged.filter(({ member }) => member.cv_error <= most);
  const better = (a, b) => a.member.leaves - b.member.leaves || a.member.cv_error - b.member.cv_error;
  const { f, m } = good.reduce((best, one) => (better(one, best) < 0 ? one : best));
  return [f, m];
}

// The tree with the highest AUC on rows left out, `{f, m, auc}`, or `null`: where one class is rare, errors say little.
function bestRanking(report) {
  if (report.judged_on !== "left_out") return null;
  let best = null;
  report.families.forEach(({ members }, f) =>
    members.forEach(({ leaves, quality }, m) => {
      const auc = quality && quality.ranking ? quality.ranking.auc : null;
      if (auc === null || (best && (auc < best.auc || (auc === best.auc && leaves >= best.leaves)))) return;
      best = { f, m, auc, leaves };
    }),
  );
  return best;
}

function enoughChoice(report, actions) {
  if (!report.choice || !goodEnough(report, null)) return null;
  const given = report.choice.tolerance;
  const known =
    given === null || TOLERANCES.includes(given) ? TOLERANCES : [...TOLERANCES, given].sort((a, b) => a - b);
  const points = (x) =>
    report.task === "regression"
      ? `${significant(100 * x, 3)}${PERCENT} of the mean's error`
      : plural(Number(significant(100 * x, 3)), "point");
  const options = known.map((x) => [x, x === 0 ? "as good as the best" : `within ${points(x)}`]);
  const ranking = bestRanking(report);
  if (ranking) options.push(["auc", "highest AUC of all"]);
  const placeOf = (value) =>
    value === "auc" ? [ranking.f, ranking.m] : goodEnough(report, value === "1se" ? null : Number(value));
  const pick = (value) => {
    if (value !== BY_HAND) actions.select(...placeOf(value));
  };
  const all = [["1se", "within one standard error"], ...options, [BY_HAND, "chosen by hand"]];
  const part = choice("Good enough", all, given ?? "1se", pick, { id: "enough" });
  const select = part.querySelector("select");
  select.lastElementChild.hidden = true;
  const places = new Map(
    all.slice(0, -1).map(([value]) => [String(value), placeOf(String(value))]),
  );
  // Another tree than the rule gives was selected elsewhere on the page.
  const render = ({ family, member }) => {
    const isAt = (place) => place && place[0] === family && place[1] === member;
    const rules = [select.value, String(given ?? "1se"), ...places.keys()];
    select.value = rules.find((value) => isAt(places.get(value))) ?? BY_HAND;
  };
  return { part, render };
}
