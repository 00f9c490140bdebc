// Any other input: its values as a map or a line, typed, or from a file of numpy or of commas.
import { button, draw, labelled, make } from "./elements.js";
import { numbersIn } from "./files.js";
import { gridOf, heatFigure } from "./heat.js";
import { emptyOf, limitsOf, quantized, real, short } from "./values.js";

const WIDTH = 600;
const HEIGHT = 90;
const MOST_SHOWN = 2000; // values of the text

export function sparkline(port, elements) {
  const numbers = Array.from(elements, (each) => real(port, each));
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const y = (value) => (high > low ? 4 + ((high - value) / (high - low)) * (HEIGHT - 8) : HEIGHT / 2);
  const step = (WIDTH - 8) / Math.max(1, numbers.length - 1);
  const line = numbers.map((value, i) => `${(4 + i * step).toFixed(1)} ${y(value).toFixed(1)}`);
  const text = `${numbers.length} values from ${short(low)} to ${short(high)}`;
  return draw(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", class: "spark", preserveAspectRatio: "none" },
    draw("title", {}, text),
    draw("path", { d: `M${line.join("L")}` }),
  );
}

class Values {
  constructor(port, number, failed, changed) {
    Object.assign(this, { port, failed, changed });
    this.elements = emptyOf(port);
    this.figure = make("div", { class: gridOf(port) ? "" : "scroll" });
    this.text = make("textarea", { rows: 3, id: `values-${number}`, spellcheck: "false" });
    const file = make("input", { type: "file", accept: ".npy,.csv,.txt", id: `file-${number}` });
    file.addEventListener("change", async () => {
      const chosen = file.files[0];
      await this.take(async () => numbersIn(chosen.name, await chosen.arrayBuffer()));
    });
    const use = () => this.take(async () => numbersIn("typed.csv", new TextEncoder().encode(this.text.value).buffer));
    const random = () => {
      const [least, most] = port.scale ? limitsOf(port) : [-1, 1];
      this.put(this.elements.map(() => least + Math.random() * (most - least)));
      changed();
    };
    const unit = port.scale ? "real numbers, quantized by the page" : port.type;
    this.element = make(
      "fieldset",
      {},
      make("legend", {}, `${port.name}, ${port.shape.join(" × ")}`),
      this.figure,
      make(
        "details",
        { class: "edit" },
        make("summary", {}, "Edit the values"),
        labelled("Values", this.text, unit),
        make("p", { class: "row-of" }, button("Use these", use), button("Random", random)),
        labelled("or a file (.npy, .csv)", file),
      ),
    );
    this.put(this.elements);
  }

  /** Real numbers, or the integers of an integer file. */
  async take(read) {
    const { port } = this;
    try {
      const { numbers, isInteger } = await read();
      if (numbers.length < port.count) throw new Error(`${numbers.length} values, expected ${port.count}`);
      const values = numbers.slice(0, port.count);
      this.put(values.map((each) => (isInteger ? each : quantized(port, each))));
      this.changed();
    } catch (error) {
      this.failed(error.message);
    }
  }

  put(values) {
    this.elements.set(values);
    const { port, elements } = this;
    this.figure.replaceChildren(...(gridOf(port) ? heatFigure(port, elements) : [sparkline(port, elements)]));
    const shown = Array.from(this.elements.subarray(0, MOST_SHOWN), (each) => short(real(this.port, each)).replaceAll(",", ""));
    this.text.value = shown.join(", ") + (this.port.count > MOST_SHOWN ? ", …" : "");
  }
}

export function numbers(place, { inputs }, { changed, failed }) {
  const tell = () => changed(all.map((each) => each.elements.slice()));
  const all = inputs.map((port, i) => new Values(port, i, failed, tell));
  place.append(...all.map((each) => each.element));
  return {
    set(values) {
      all.forEach((each, i) => each.put(values[i]));
      tell();
    },
    showed() {},
    begin: tell,
  };
}
