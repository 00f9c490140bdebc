// Inputs whose outputs are known: shown one by one, or all compared.
import { button, labelled, make } from "./elements.js";
import { count, decoded, elementsOf } from "./values.js";

const MOST_LINES = 1000;

const isSame = (one, other) => one.length === other.length && one.every((each, i) => each === other[i]);

export class Recorded {
  constructor(place, data, { chosen, patiently }) {
    this.samples = data.recorded.map(({ inputs, outputs }) => ({ inputs: inputs.map(decoded), outputs: outputs.map(decoded) }));
    if (!this.samples.length) return;
    const options = this.samples.map((_, i) => make("option", { value: i }, `recorded input ${i}`));
    const choice = make("select", { id: "recorded" }, make("option", { value: "" }, "—"), ...options);
    choice.addEventListener("change", () => {
      if (choice.value === "") return;
      const { inputs } = this.samples[Number(choice.value)];
      chosen(inputs.map((bytes, i) => elementsOf(data.inputs[i], bytes)));
    });
    this.verdict = make("p", { id: "verdict", role: "status" });
    this.log = make("pre", { id: "log", tabindex: 0, "aria-label": "Each recorded input" });
    this.details = make("details", { hidden: true }, make("summary", {}, "Each of them"), this.log);
    const all = button("Compare all", () => this.compare(patiently), { id: "compare" });
    place.append(labelled("Known results", choice), all, this.verdict, this.details);
  }

  /** Every byte of every output, and a line for each sample. */
  async compare(patiently) {
    const lines = [];
    let equal = 0;
    for (const [i, sample] of this.samples.entries()) {
      let result;
      try {
        result = await patiently(sample.inputs);
      } catch {
        return; // stopped
      }
      const is = result.outputs.every((bytes, k) => isSame(bytes, sample.outputs[k]));
      equal += is;
      const { cycles, instructions, stack } = result;
      lines.push(`${i} ${cycles} cycles ${instructions} instructions ${stack} B of stack ${is ? "equal" : "DIFFERENT"}`);
      this.verdict.textContent = `${count(equal)} of ${count(i + 1)} equal to what TensorFlow Lite Micro gave`;
      this.log.textContent = lines.slice(-MOST_LINES).join("\n");
    }
    this.details.hidden = false;
    this.verdict.dataset.done = "yes";
  }
}
