// Drawings as files: SVG with its styles written into the elements, and PNG made from that.

const KEPT_STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "paint-order",
  "stroke-linejoin",
  "visibility",
];

const KEY_LINE = 22;

// The colour that a name such as var(--class-0) stands for at the moment.
function resolvedColor(color) {
  const probe = html("span", { style: `color: ${color}` });
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

// A legend for a drawing that leaves its page: `keys` are texts with a colour and a shape.
function drawKeys(keys, box) {
  const group = svg("g", {});
  const ink = resolvedColor("var(--ink)");
  let [x, y] = [box.x + 12, box.y + box.height + 14];
  for (const { text, color, shape } of keys) {
    const wide = 26 + textWidth(text, 12);
    if (x + wide > box.x + box.width && x > box.x + 12) [x, y] = [box.x + 12, y + KEY_LINE];
    group.append(
      svg("path", { d: shape, transform: `translate(${x + 5},${y - 4})`, fill: resolvedColor(color) }),
      svg("text", { x: x + 15, y, style: `font: 12px ${FONT}; fill: ${ink}` }, text),
    );
    x += wide;
  }
  return { group, height: keys.length ? y + 10 - box.y - box.height : 0 };
}

function answerKeys(report) {
  if (report.task === "regression") {
    return [0, 0.25, 0.5, 0.75, 1].map((t) => {
      const [low, high] = report.valueRange;
      return { text: format.value(low + t * (high - low)), color: rampColor(t), shape: marker(1, 5) };
    });
  }
  return report.target.classes.map((text, i) => ({
    text: cutName(text, 28),
    color: classColor(i),
    shape: marker(1, 5),
  }));
}

function standalone(drawing, keys) {
  const copy = drawing.cloneNode(true);
  const from = [drawing, ...drawing.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const computed = getComputedStyle(element);
    if (computed.display === "none") {
      to[i].dataset.gone = "1";
      return;
    }
    to[i].setAttribute("style", KEPT_STYLES.map((name) => `${name}:${computed.getPropertyValue(name)}`).join(";"));
    for (const name of ["class", "tabindex", "role", "fill", "stroke"]) to[i].removeAttribute(name);
  });
  copy.querySelectorAll("[data-gone]").forEach((element) => element.remove());
  const { x, y, width, height } = drawing.viewBox.baseVal;
  const legend = drawKeys(keys, { x, y, width, height });
  const tall = height + legend.height;
  copy.append(legend.group);
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("viewBox", `${x} ${y} ${width} ${tall}`);
  copy.setAttribute("width", Math.ceil(width));
  copy.setAttribute("height", Math.ceil(tall));
  const ground = getComputedStyle(document.documentElement).getPropertyValue("--card").trim();
  copy.prepend(svg("rect", { x, y, width, height: tall, fill: ground }));
  return { text: new XMLSerializer().serializeToString(copy), width: Math.ceil(width), height: Math.ceil(tall) };
}

function save(blob, name) {
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function saveSvg(drawing, name, keys) {
  save(new Blob([standalone(drawing, keys).text], { type: "image/svg+xml" }), `${name}.svg`);
}

function savePng(drawing, name, keys) {
  const { text, width, height } = standalone(drawing, keys);
  // Twice the size for print, as far as browsers make canvases that large.
  const scale = Math.min(2, 8000 / Math.max(width, height));
  const image = new Image();
  image.onload = () => {
    const canvas = html("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, `${name}.png`));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

function saveButtons(find, name, keys) {
  const act = (saver) => () => {
    const drawing = find();
    if (drawing) saver(drawing, name(), keys);
  };
  return [
    button("SVG", act(saveSvg), { class: "quiet", title: "Save this drawing as SVG" }),
    button("PNG", act(savePng), { class: "quiet", title: "Save this drawing as PNG" }),
  ];
}
