// Drawings as files: SVG with its styles written into the elements, and PNG made from that.

const KEPT_STYLES = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap",
  "opacity", "font-family", "font-size", "font-weight", "text-anchor", "paint-order", "stroke-linejoin", "visibility",
];

function standalone(drawing) {
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
  const [width, height] = drawingSize(drawing);
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const box = drawing.viewBox.baseVal;
  const ground = getComputedStyle(document.documentElement).getPropertyValue("--card").trim();
  copy.prepend(svg("rect", { x: box.x, y: box.y, width: box.width || width, height: box.height || height, fill: ground }));
  return new XMLSerializer().serializeToString(copy);
}

function drawingSize(drawing) {
  const box = drawing.viewBox.baseVal;
  return [Math.ceil(box.width || drawing.clientWidth), Math.ceil(box.height || drawing.clientHeight)];
}

function save(blob, name) {
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function saveSvg(drawing, name) {
  save(new Blob([standalone(drawing)], { type: "image/svg+xml" }), `${name}.svg`);
}

function savePng(drawing, name) {
  const [width, height] = drawingSize(drawing);
  // Twice the size for print, as far as browsers make canvases that large.
  const scale = Math.min(2, 8000 / Math.max(width, height));
  const image = new Image();
  image.onload = () => {
    const canvas = html("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, `${name}.png`));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(drawing))}`;
}

function saveButtons(find, name) {
  const act = (saver) => () => {
    const drawing = find();
    if (drawing) saver(drawing, name());
  };
  return [
    button("SVG", act(saveSvg), { class: "quiet", title: "Save this drawing as SVG" }),
    button("PNG", act(savePng), { class: "quiet", title: "Save this drawing as PNG" }),
  ];
}
