// A single value: a slider, and what the model makes of every value there is.
import { ticks } from "./axis.js";
import { draw, labelled, make } from "./elements.js";
import { bytesOf, elementsOf, emptyOf, limitsOf, real, short } from "./values.js";

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 62;
const RIGHT = 24;
const TOP = 18;
const BOTTOM = 34;
const TICKS = 6; // along either axis, about

class Plot {
  constructor(input, output, name) {
    const [first, last] = limitsOf(input).map((each) => real(input, each));
    const [low, high] = limitsOf(output).map((each) => real(output, each));
    this.x = (value) => LEFT + ((value - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
    this.y = (value) => TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM);
    this.reference = draw("path", { class: "reference" });
    this.points = draw("g", { class: "points" });
    this.now = draw("g"); // nothing before the first result
    const title = draw("title", {}, `Output of the model for each input${name ? `, next to ${name}(x)` : ""}`);
    const parts = [this.points, this.reference, this.now];
    const axes = this.axes([first, last], [low, high]);
    const box = `0 0 ${WIDTH} ${HEIGHT}`;
    this.element = draw("svg", { viewBox: box, role: "img", class: "plot" }, title, ...axes, ...parts);
    if (name) this.drawReference(Math[name], first, last, low, high);
  }

  axes(across, up) {
    const rows = ticks(...up, TICKS).flatMap((y) => [
      draw("path", { class: y ? "grid" : "grid zero", d: `M${LEFT} ${this.y(y)}H${WIDTH - RIGHT}` }),
      draw("text", { x: LEFT - 8, y: this.y(y) + 4, class: "up" }, short(y)),
    ]);
    const marks = ticks(...across, TICKS).map((x) => draw("text", { x: this.x(x), y: HEIGHT - 12, class: "across" }, short(x)));
    return [...rows, ...marks];
  }

  drawReference(function_, first, last, low, high) {
    const inside = (value) => Math.min(high, Math.max(low, value));
    const places = Array.from({ length: 129 }, (_, i) => first + (i / 128) * (last - first));
    const line = places.map((x) => `${this.x(x).toFixed(1)} ${this.y(inside(function_(x))).toFixed(1)}`);
    this.reference.setAttribute("d", `M${line.join("L")}`);
  }

  add(x, y) {
    this.points.append(draw("circle", { cx: this.x(x).toFixed(1), cy: this.y(y).toFixed(1), r: 2 }));
  }

  show(x, y) {
    const drop = draw("path", { class: "drop", d: `M${this.x(x)} ${HEIGHT - BOTTOM}V${this.y(y)}` });
    this.now.replaceChildren(drop, draw("circle", { r: 7, class: "now", cx: this.x(x), cy: this.y(y) }));
  }
}

/** `changed` is given the elements of every input; `patiently` runs such for later. */
export function curve(place, { inputs, outputs, editor }, { changed, patiently }) {
  const [port] = inputs;
  const [least, most] = limitsOf(port);
  const plot = outputs[0].count === 1 ? new Plot(port, outputs[0], editor.reference) : undefined;
  const range = { type: "range", min: least, max: most, value: Math.floor((least + most) / 2), id: "slider" };
  const slider = make("input", range);
  const shown = make("output", { for: "slider", id: "slider-value" });
  const elements = emptyOf(port);
  elements[0] = Math.floor((least + most) / 2);
  const tell = () => {
    const text = `${short(real(port, elements[0]))}, as an integer ${elements[0]}`;
    shown.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    changed([elements.slice()]);
  };
  slider.addEventListener("input", () => {
    elements[0] = Number(slider.value);
    tell();
  });
  place.append(labelled("Input", slider), shown);
  if (plot) {
    const legend = editor.reference
      ? [make("span", { class: "key-line" }), `${editor.reference}(x)`, make("span", { class: "key-dot" }), "the model"]
      : [make("span", { class: "key-dot" }), "the model"];
    place.append(plot.element, make("p", { class: "soft legend" }, ...legend));
    sweep(port, outputs[0], plot, patiently);
  }
  return {
    set([values]) {
      elements.set(values);
      slider.value = elements[0];
      tell();
    },
    showed([values], found) {
      plot?.show(real(port, values[0]), real(outputs[0], found[0][0]));
    },
    begin: tell,
  };
}

/** Every input there is, from the least to the greatest. */
async function sweep(port, output, plot, patiently) {
  const [least, most] = limitsOf(port);
  for (let value = least; value <= most; value++) {
    const elements = emptyOf(port);
    elements[0] = value;
    try {
      const result = await patiently([bytesOf(elements)]);
      plot.add(real(port, value), real(output, elementsOf(output, result.outputs[0])[0]));
    } catch {
      return; // stopped
    }
  }
}
