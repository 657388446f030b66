// The address of the page holds the selected tree: `#family=ID&leaves=N`.

function linkOf(family, member) {
  return `#${new URLSearchParams({ family: family.id ?? "", leaves: member.leaves })}`;
}

// What an address asks for, or `null`. Without a tree of that size the closest one.
function placeOfLink(report, hash) {
  const asked = new URLSearchParams(hash.slice(1));
  const f = report.families.findIndex(({ id }) => id !== undefined && id === asked.get("family"));
  const leaves = Number(asked.get("leaves"));
  if (f < 0 || !(leaves >= 1)) return null;
  return [f, closestMember(report.families[f], leaves)];
}

// Replaces the address, so that going back leaves the page and not one of many trees.
function tellLink(report, f, m) {
  try {
    history.replaceState(null, "", linkOf(report.families[f], report.families[f].members[m]));
  } catch {
    // Where pages have no address of their own, the selection is not in it.
  }
}
