// A small picture of an input, for a list of them.
import { make } from "./elements.js";
import { gridOf, heatMap } from "./heat.js";
import { sparkline } from "./numbers.js";
import { paint } from "./picture.js";

export function miniature({ inputs, editor }, elements) {
  const [port] = inputs;
  const hidden = { "aria-hidden": "true" };
  if (editor.side) {
    const size = { width: editor.side, height: editor.side };
    const canvas = make("canvas", { ...size, ...hidden });
    paint(canvas, elements[0], port, editor.channels, { isInk: editor.kind === "draw" });
    return canvas;
  }
  if (gridOf(port)) return heatMap(port, elements[0], hidden);
  return make("span", hidden, sparkline(port, elements[0]));
}
