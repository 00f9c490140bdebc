// A small picture of an input, for a list of them.
import { make } from "./elements.js";
import { gridOf, heatMap } from "./heat.js";
import { sparkline } from "./numbers.js";
import { paint } from "./picture.js";

export function miniature({ inputs, editor }, elements) {
  const hidden = { "aria-hidden": "true" };
  if (editor.side) {
    const size = { width: editor.side, height: editor.side };
    const canvas = make("canvas", { ...size, ...hidden });
    paint(canvas, elements[0], inputs[0], editor.channels, { isInk: editor.kind === "draw" });
    return canvas;
  }
  const parts = inputs.map((each, i) => (gridOf(each) ? heatMap(each, elements[i], hidden) : sparkline(each, elements[i])));
  return make("span", hidden, ...parts);
}
