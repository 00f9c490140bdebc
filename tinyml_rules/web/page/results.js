// What an inference gave: outputs as bars or lines, and what it took.
import { byId, make } from "./elements.js";
import { sparkline } from "./numbers.js";
import { count, limitsOf, real, short, threeDigits } from "./values.js";

const MOST_BARS = 32;

class Bars {
  constructor(port) {
    this.port = port;
    this.rows = Array.from({ length: port.count }, (_, i) => {
      const fill = make("span", { class: "fill" });
      const figure = make("span", { class: "figure" });
      const name = port.labels[i] ?? (port.count === 1 ? "value" : `[${i}]`);
      const bar = make("span", { class: "track", "aria-hidden": "true" }, fill);
      return { fill, figure, element: make("li", {}, make("span", { class: "name" }, name), bar, figure) };
    });
    this.element = make("ol", { class: "bars" }, ...this.rows.map((row) => row.element));
  }

  show(elements) {
    const { port } = this;
    const most = elements.indexOf(Math.max(...elements));
    const scale = Math.max(...Array.from(elements, Math.abs)) || 1;
    const [least, greatest] = limitsOf(port);
    this.rows.forEach(({ fill, figure, element }, i) => {
      const share = port.scale ? (elements[i] - least) / (greatest - least) : Math.abs(elements[i]) / scale;
      fill.style.width = `${100 * share}%`;
      const whole = port.scale ? ` (${elements[i]})` : "";
      figure.textContent = `${short(real(port, elements[i]))}${whole}`;
      element.classList.toggle("most", port.count > 1 && i === most);
    });
  }
}

class Line {
  constructor(port) {
    this.port = port;
    this.element = make("div", { class: "scroll" });
  }

  show(elements) {
    this.element.replaceChildren(sparkline(this.port, elements));
  }
}

export class Results {
  constructor(data) {
    this.data = data;
    this.shown = data.outputs.map((port) => new (port.count <= MOST_BARS ? Bars : Line)(port));
    const parts = data.outputs.flatMap((port, i) => [
      make("h3", {}, `${port.name}, ${port.shape.join(" × ") || "scalar"} of ${port.type}`),
      this.shown[i].element,
    ]);
    byId("outputs").append(...parts);
    this.inferences = 0;
    this.least = Infinity;
    this.most = 0;
  }

  /** What was counted, of an inference that nobody looks at too. */
  count({ cycles }) {
    this.inferences++;
    this.least = Math.min(this.least, cycles);
    this.most = Math.max(this.most, cycles);
    byId("inferences").textContent = count(this.inferences);
    byId("spread").textContent =
      this.least === this.most ? `always ${count(this.least)}` : `${count(this.least)} to ${count(this.most)} so far`;
  }

  show(elements, result) {
    this.shown.forEach((each, i) => each.show(elements[i]));
    const { clock, figures } = this.data;
    byId("cycles").textContent = count(result.cycles);
    byId("instructions").textContent = `${count(result.instructions)} instructions`;
    byId("milliseconds").textContent = threeDigits((1000 * result.cycles) / clock);
    byId("stack").textContent = count(result.stack);
    const used = figures.static_ram_bytes + result.deepest;
    byId("ram").textContent = count(used);
    byId("deepest").textContent = count(result.deepest);
    byId("summary").textContent = this.summary(elements);
  }

  /** For who hears the page. */
  summary(elements) {
    const [port] = this.data.outputs;
    const values = elements[0];
    if (port.count === 1) return `Output ${short(real(port, values[0]))}`;
    const best = values.indexOf(Math.max(...values));
    const name = port.labels[best] ?? `value ${best}`;
    return `Most: ${name}, ${short(real(port, values[best]))}`;
  }
}
