// The values of an output over time: a line for each, the latest on the right, and marks of events.
import { draw, make } from "./elements.js";
import { limitsOf, real } from "./values.js";

const MOST_LINES = 32;
const MOST_RESULTS = 300;
const WIDTH = 600;
const HEIGHT = 40;

export class Course {
  constructor(port) {
    this.port = port;
    this.lines = Array.from({ length: Math.min(port.count, MOST_LINES) }, (_, i) => {
      const path = draw("path", {});
      const marks = draw("path", { class: "event" });
      const name = port.labels[i] ?? `[${i}]`;
      const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "spark", "aria-hidden": "true" };
      return { path, marks, name, element: make("li", {}, make("span", {}, name), draw("svg", box, marks, path)) };
    });
    this.element = make("ol", { class: "course" }, ...this.lines.map((each) => each.element));
    this.clear();
  }

  clear() {
    this.results = [];
    for (const { path, marks } of this.lines) for (const each of [path, marks]) each.setAttribute("d", "");
  }

  /** `event`: the name of the class that was just recognised, if one was. */
  add(elements, event) {
    this.results = [...this.results, { elements, event }].slice(-MOST_RESULTS);
    const { port, results } = this;
    const [low, high] = port.scale ? limitsOf(port).map((each) => real(port, each)) : this.limits();
    const step = (WIDTH - 4) / Math.max(1, results.length - 1);
    const y = (value) => 2 + (1 - Math.min(1, Math.max(0, (real(port, value) - low) / (high - low)))) * (HEIGHT - 4);
    const x = (k) => (2 + k * step).toFixed(1);
    this.lines.forEach(({ path, marks, name }, i) => {
      const points = results.map(({ elements: each }, k) => `${x(k)} ${y(each[i]).toFixed(1)}`);
      marks.setAttribute("d", results.map((each, k) => (each.event === name ? `M${x(k)} 0V${HEIGHT}` : "")).join(""));
      path.setAttribute("d", `M${points.join("L")}${points.length === 1 ? `H${WIDTH - 2}` : ""}`);
    });
  }

  /** Of real numbers: those that there were, and from 0 to 1. */
  limits() {
    const all = this.results.flatMap(({ elements }) => Array.from(elements));
    return [Math.min(0, ...all), Math.max(1, ...all)];
  }
}
