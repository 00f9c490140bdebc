// Inputs whose outputs are known: shown one by one, or all compared.
import { button, labelled, make } from "./elements.js";
import { miniature } from "./miniature.js";
import { count, decoded, elementsOf } from "./values.js";

const MOST_LINES = 1000;
const MOST_PICTURES = 12;

const isSame = (one, other) => one.length === other.length && one.every((each, i) => each === other[i]);

export class Recorded {
  constructor(place, data, { chosen, patiently }) {
    this.samples = data.recorded.map(({ inputs, outputs }) => ({ inputs: inputs.map(decoded), outputs: outputs.map(decoded) }));
    this.inputs = this.samples.map(({ inputs }) => inputs.map((bytes, i) => elementsOf(data.inputs[i], bytes)));
    if (!this.samples.length) return;
    this.chosen = chosen;
    this.isCurve = data.editor.kind === "curve";
    this.names = this.samples.map((_, i) => data.names[i] ?? `input ${i}`);
    this.list = this.samples.length > MOST_PICTURES || this.isCurve ? this.asWords() : this.asPictures(data);
    this.verdict = make("p", { id: "verdict", role: "status" });
    this.log = make("pre", { id: "log", tabindex: 0, "aria-label": "Each recorded input" });
    this.details = make("details", { hidden: true }, make("summary", {}, "Each of them"), this.log);
    this.source = data.recordedBy;
    this.isSliding = data.isSliding;
    const isKnown = this.samples[0].outputs.length > 0;
    const all = isKnown ? [button("Compare all", () => this.compare(patiently), { id: "compare" })] : [];
    place.append(this.list, ...all, this.verdict, this.details);
  }

  asWords() {
    const options = this.names.map((name, i) => make("option", { value: i }, name));
    this.choice = make("select", { id: "recorded" }, make("option", { value: "" }, "—"), ...options);
    this.choice.addEventListener("change", () => this.choice.value !== "" && this.show(Number(this.choice.value)));
    return labelled("Known results", this.choice);
  }

  asPictures(data) {
    this.buttons = this.inputs.map((elements, i) => {
      const parts = [miniature(data, elements), make("span", {}, this.names[i])];
      return make("button", { type: "button", "aria-pressed": "false", onclick: () => this.show(i) }, ...parts);
    });
    const title = make("span", { class: "soft" }, "Known results");
    return make("div", { class: "known", role: "group", "aria-label": "Known results" }, title, ...this.buttons);
  }

  /** One that says something: not the same value everywhere.  False where there is none. */
  open() {
    const first = this.inputs.findIndex((tensors) => tensors.some((each) => each.some((value) => value !== each[0])));
    if (first < 0 || this.isCurve) return false;
    this.show(first);
    return true;
  }

  show(number) {
    this.chosen(this.inputs[number]);
    this.mark(number);
  }

  /** Which of them is shown, -1 for another input. */
  mark(number) {
    this.buttons?.forEach((each, i) => each.setAttribute("aria-pressed", String(i === number)));
    if (this.choice) this.choice.value = number < 0 ? "" : number;
  }

  /** Every byte of every output, and a line for each sample. */
  async compare(patiently) {
    const lines = [];
    let equal = 0;
    for (const [i, sample] of this.samples.entries()) {
      let result;
      try {
        result = await patiently(sample.inputs, i === 0 || this.isSliding);
      } catch {
        return; // stopped
      }
      const is = sample.outputs.length === result.outputs.length && result.outputs.every((bytes, k) => isSame(bytes, sample.outputs[k]));
      equal += is;
      const { cycles, instructions, stack } = result;
      lines.push(`${i} ${cycles} cycles ${instructions} instructions ${stack} B of stack ${is ? "equal" : "DIFFERENT"}`);
      this.verdict.textContent = `${count(equal)} of ${count(i + 1)} equal to the results of ${this.source}`;
      this.log.textContent = lines.slice(-MOST_LINES).join("\n");
    }
    this.details.hidden = false;
    this.verdict.dataset.done = "yes";
  }
}
