// What an inference gave: outputs as bars or lines, and what it took.
import { byId, make } from "./elements.js";
import { sparkline } from "./numbers.js";
import { eventName } from "./stream.js";
import { count, limitsOf, real, short, threeDigits } from "./values.js";

const MOST_BARS = 32;
const GREATEST = 10; // of more classes than there are bars

/** Whether an output is scores of classes: a vector, and not what went in. */
function isOfClasses(port, inputs) {
  return port.labels.length > 0 || (port.count === Math.max(...port.shape) && inputs.every((each) => each.count !== port.count));
}

class Bars {
  /** Of all values in their order; of more than MOST_BARS the greatest first. */
  constructor(port) {
    this.port = port;
    this.isChosen = port.count > MOST_BARS;
    this.rows = Array.from({ length: this.isChosen ? GREATEST : port.count }, (_, i) => {
      const fill = make("span", { class: "fill" });
      const figure = make("span", { class: "figure" });
      const name = make("span", { class: "name" }, this.isChosen ? "–" : this.nameOf(i));
      const track = make("span", { class: "track", "aria-hidden": "true" }, fill);
      return { track, fill, figure, name, element: make("li", {}, name, track, figure) };
    });
    const list = make("ol", { class: "bars" }, ...this.rows.map((row) => row.element));
    const note = `The ${GREATEST} greatest of ${count(port.count)}`;
    this.element = this.isChosen ? make("div", {}, make("p", { class: "soft" }, note), list) : list;
  }

  nameOf(i) {
    const { port } = this;
    return port.labels[i] ?? (port.count === 1 ? "value" : `[${i}]`);
  }

  /** The value of each bar, by its number. */
  order(elements) {
    const all = Array.from(elements, (_, i) => i);
    return this.isChosen ? all.sort((one, other) => elements[other] - elements[one]).slice(0, GREATEST) : all;
  }

  show(elements) {
    const { port } = this;
    const most = elements.indexOf(Math.max(...elements));
    const numbers = Array.from(elements, (each) => real(port, each));
    const [low, high] = port.scale ? limitsOf(port).map((each) => real(port, each)) : spread(numbers);
    const percent = (number) => (100 * (Math.min(high, Math.max(low, number)) - low)) / (high - low);
    const zero = percent(0);
    const order = this.order(elements);
    this.rows.forEach(({ track, fill, figure, name, element }, place) => {
      const i = order[place];
      if (this.isChosen) name.textContent = this.nameOf(i);
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
    for (const { fill, figure, name, element } of this.rows) {
      if (this.isChosen) name.textContent = "–";
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
    this.element = make("div", { class: "scroll line" });
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
    this.isBars = (port) => port.count <= MOST_BARS || isOfClasses(port, data.inputs);
    this.shown = data.outputs.map((port) => new (this.isBars(port) ? Bars : Line)(port));
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

  show(step, result) {
    this.shown.forEach((each, i) => each.show(step.found[i]));
    this.took(result);
    this.say(...this.summary(step));
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

  /** The answer in words: the event that has just begun, the greatest of a few values, or the only
   * one. */
  summary({ found, events }) {
    const [name, text] = this.greatest(found);
    if (!events.length) return [name, text];
    const event = eventName(this.data, events);
    return event ? [event, " was just recognised"] : ["", `No event with this result; the greatest is ${name}${text}`];
  }

  greatest(elements) {
    const [port] = this.data.outputs;
    const values = elements[0];
    if (port.count === 1) return [short(real(port, values[0])), ""];
    const numbers = Array.from(values, (each) => real(port, each));
    if (!this.isBars(port)) return ["", `${count(port.count)} values from ${short(Math.min(...numbers))} to ${short(Math.max(...numbers))}`];
    const best = values.indexOf(Math.max(...values));
    return [port.labels[best] ?? `value ${best}`, ` ${short(numbers[best])}`];
  }
}
