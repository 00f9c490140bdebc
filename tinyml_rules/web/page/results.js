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
      const track = make("span", { class: "track", "aria-hidden": "true" }, fill);
      return { track, fill, figure, element: make("li", {}, make("span", { class: "name" }, name), track, figure) };
    });
    this.element = make("ol", { class: "bars" }, ...this.rows.map((row) => row.element));
  }

  show(elements) {
    const { port } = this;
    const most = elements.indexOf(Math.max(...elements));
    const numbers = Array.from(elements, (each) => real(port, each));
    const [low, high] = port.scale ? limitsOf(port).map((each) => real(port, each)) : spread(numbers);
    const percent = (number) => (100 * (Math.min(high, Math.max(low, number)) - low)) / (high - low);
    const zero = percent(0);
    this.rows.forEach(({ track, fill, figure, element }, i) => {
      const end = percent(numbers[i]);
      fill.style.marginLeft = `${Math.min(zero, end)}%`;
      fill.style.width = `${Math.abs(end - zero)}%`;
      track.style.setProperty("--zero", `${zero}%`);
      track.classList.toggle("signed", zero > 0);
      const whole = port.scale ? ` (${elements[i]})` : "";
      figure.textContent = `${short(numbers[i])}${whole}`;
      element.classList.toggle("most", port.count > 1 && i === most);
    });
  }

  clear() {
    for (const { fill, figure, element } of this.rows) {
      fill.style.width = 0;
      figure.textContent = "–";
      element.classList.remove("most");
    }
  }
}

/** Of a bar of real numbers: zero is in it, and in its middle where some are negative. */
function spread(numbers) {
  const most = Math.max(...numbers.map(Math.abs)) || 1;
  return numbers.some((each) => each < 0) ? [-most, most] : [0, most];
}

class Line {
  constructor(port) {
    this.port = port;
    this.element = make("div", { class: "scroll" });
  }

  show(elements) {
    this.element.replaceChildren(sparkline(this.port, elements));
  }

  clear() {
    this.element.replaceChildren();
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
    if (this.inferences < 2) return; // one is no range
    const range = this.least === this.most ? "the same" : `${count(this.least)} to ${count(this.most)}`;
    const calls = this.data.microphone ? "blocks" : "inferences";
    byId("spread").textContent = `${range} in ${count(this.inferences)} ${calls}`;
  }

  show(elements, result) {
    this.shown.forEach((each, i) => each.show(elements[i]));
    this.took(result);
    this.say(...this.summary(elements));
  }

  took(result) {
    const { clock, figures } = this.data;
    byId("cycles").textContent = count(result.cycles);
    byId("instructions").textContent = `${count(result.instructions)} instructions`;
    byId("milliseconds").textContent = threeDigits((1000 * result.cycles) / clock);
    byId("stack").textContent = count(result.stack);
    const used = figures.static_ram_bytes + result.deepest;
    byId("ram").textContent = count(used);
    byId("deepest").textContent = count(result.deepest);
  }

  /** Of no input. */
  clear(text) {
    for (const each of this.shown) each.clear();
    this.say("", text);
  }

  say(name, text) {
    byId("summary").replaceChildren(make("strong", {}, name), text);
  }

  /** The answer in words: the greatest of a few values, or the only one. */
  summary(elements) {
    const [port] = this.data.outputs;
    const values = elements[0];
    if (port.count === 1) return [short(real(port, values[0])), ""];
    const numbers = Array.from(values, (each) => real(port, each));
    if (port.count > MOST_BARS) return ["", `${count(port.count)} values from ${short(Math.min(...numbers))} to ${short(Math.max(...numbers))}`];
    const best = values.indexOf(Math.max(...values));
    return [port.labels[best] ?? `value ${best}`, ` ${short(numbers[best])}`];
  }
}
