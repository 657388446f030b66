// The selected tree as text to copy.

const TEXT_NAMES = { rules: "Rules", sql: "SQL", python: "Python" };

function makeTexts(report) {
  const box = byId("texts");
  const tabs = html("div", { class: "tabs", role: "tablist", "aria-label": "Form" });
  const shown = html("pre", { tabindex: 0, role: "tabpanel", id: "text", "aria-label": "Text of the tree" });
  const copy = button("Copy", copyText, { class: "quiet", id: "copy" });
  const model = button("Model", saveModel, {
    class: "quiet",
    id: "save-model",
    title: "Save this tree as a model file for treewright",
  });
  byId("texts-tools").append(tabs, copy, report.reading ? model : "");
  box.append(shown);
  let form = "rules";
  let texts = {};
  let state = null;

  function draw() {
    const forms = Object.keys(TEXT_NAMES).filter((name) => texts[name]);
    if (!texts[form]) form = forms[0] || "rules";
    tabs.replaceChildren(
      ...forms.map((name) =>
        button(TEXT_NAMES[name], () => open(name), {
          class: "tab",
          role: "tab",
          "aria-selected": String(name === form),
          "aria-controls": "text",
          tabindex: name === form ? 0 : -1,
          on: {
            keydown: (event) => {
              const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
              if (by) open(forms[(forms.indexOf(form) + by + forms.length) % forms.length]);
            },
          },
        }),
      ),
    );
    shown.textContent = texts[form] || "The selected tree is not part of the page.";
    copy.disabled = !texts[form];
    model.disabled = !state.tree;
  }

  function open(name) {
    form = name;
    draw();
    tabs.querySelector('[aria-selected="true"]').focus();
  }

  function saveModel() {
    const family = report.families[state.family];
    const member = family.members[state.member];
    const file = modelFile(report, family, member, state.tree);
    save(new Blob([`${JSON.stringify(file)}\n`], { type: "application/json" }), `tree-${member.leaves}-leaves.json`);
  }

  async function copyText() {
    const text = shown.textContent;
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Pages opened from disk may not be allowed to use the clipboard; the old way still is.
      const range = document.createRange();
      range.selectNodeContents(shown);
      const selection = window.getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      done = document.execCommand("copy");
    }
    copy.textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => {
      copy.textContent = "Copy";
    }, 1500);
  }

  return {
    render(next, changed) {
      state = next;
      if (!changed.has("member")) return;
      const member = report.families[state.family].members[state.member];
      texts = { ...(state.tree ? { rules: rulesText(state.tree) } : {}), ...(member.texts || {}) };
      draw();
    },
  };
}
