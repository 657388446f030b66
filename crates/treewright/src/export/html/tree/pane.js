// Moving about in a pane that is smaller than its drawing.

// Dragging the ground with the mouse scrolls; touch scrolls by itself.
function panByDrag(box, isGround) {
  let drag = null;
  box.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0 || !isGround(event.target)) return;
    drag = { x: event.clientX, y: event.clientY, left: box.scrollLeft, top: box.scrollTop };
    box.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
    if (!drag) return;
    box.scrollLeft = drag.left + drag.x - event.clientX;
    box.scrollTop = drag.top + drag.y - event.clientY;
  });
  const end = () => {
    drag = null;
  };
  box.addEventListener("pointerup", end);
  box.addEventListener("pointercancel", end);
}

// The wheel zooms with Ctrl only; without, it belongs to the page.
function zoomByWheel(box, zoomIn, zoomOut) {
  const turn = (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    if (event.deltaY < 0) zoomIn();
    else zoomOut();
  };
  box.addEventListener("wheel", turn, { passive: false });
}

// Scrolls the pane, not the page, until a rectangle is in sight.
function scrollTo(box, [x, y, width, height]) {
  const isOut = (at, size, from, room) => at < from || at + size > from + room;
  if (isOut(x, width, box.scrollLeft, box.clientWidth)) box.scrollLeft = x - (box.clientWidth - width) / 2;
  if (isOut(y, height, box.scrollTop, box.clientHeight)) box.scrollTop = y - (box.clientHeight - height) / 2;
}
