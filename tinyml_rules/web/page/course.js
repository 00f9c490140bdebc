// The values of an output over time: a line for each, the latest on the right.
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
      const name = port.labels[i] ?? `[${i}]`;
      const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "spark", "aria-hidden": "true" };
      return { path, element: make("li", {}, make("span", {}, name), draw("svg", box, path)) };
    });
    this.element = make("ol", { class: "course" }, ...this.lines.map((each) => each.element));
    this.clear();
  }

  clear() {
    this.results = [];
    this.lines.forEach(({ path }) => path.setAttribute("d", ""));
  }

  add(elements) {
    this.results = [...this.results, elements].slice(-MOST_RESULTS);
    const { port, results } = this;
    const [low, high] = port.scale ? limitsOf(port).map((each) => real(port, each)) : [0, 1];
    const step = (WIDTH - 4) / Math.max(1, results.length - 1);
    const y = (value) => 2 + (1 - Math.min(1, Math.max(0, (real(port, value) - low) / (high - low)))) * (HEIGHT - 4);
    this.lines.forEach(({ path }, i) => {
      const points = results.map((each, k) => `${(2 + k * step).toFixed(1)} ${y(each[i]).toFixed(1)}`);
      path.setAttribute("d", `M${points.join("L")}${points.length === 1 ? `H${WIDTH - 2}` : ""}`);
    });
  }
}
