// Elements. Whatever comes from the data ends in text nodes or attributes, never in markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children.flat(2)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

function html(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function byId(id) {
  return document.getElementById(id);
}

function button(label, action, { on, ...attributes } = {}) {
  return html("button", { type: "button", on: { click: action, ...on }, ...attributes }, label);
}

// A labelled choice; `options` are pairs of value and text.
function choice(label, options, value, changed, attributes) {
  const select = html(
    "select",
    { on: { change: () => changed(select.value) } },
    options.map(([key, text]) => html("option", { value: key, selected: String(key) === String(value) }, text)),
  );
  return html("label", { class: "choice", ...attributes }, html("span", {}, label), select);
}

function checkbox(label, checked, changed) {
  const box = html("input", { type: "checkbox", checked, on: { change: () => changed(box.checked) } });
  return html("label", { class: "check" }, box, label);
}

// A small text beside the pointer.
const tip = {
  show(lines, x, y) {
    const box = byId("tip");
    box.replaceChildren(...lines.map((line, i) => html("div", { class: i ? null : "strong" }, line)));
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const left = Math.min(x + 14, document.documentElement.clientWidth - width - 8);
    const top = y + 16 + height > window.innerHeight ? y - height - 12 : y + 16;
    box.style.left = `${Math.max(4, left)}px`;
    box.style.top = `${Math.max(4, top)}px`;
  },
  hide() {
    byId("tip").hidden = true;
  },
};

// Runs `draw` again whenever the width of `box` changes, at most once a frame. The result tells the
// width without a new layout of the page, which asking the box itself may cost.
function onWidth(box, draw) {
  let width = box.clientWidth;
  let waiting = false;
  new ResizeObserver(() => {
    if (waiting || Math.abs(box.clientWidth - width) < 2) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      width = box.clientWidth;
      draw();
    });
  }).observe(box);
  const known = () => width;
  // For a change that is drawn at once, before the observer hears of it.
  known.again = () => {
    width = box.clientWidth;
  };
  return known;
}
