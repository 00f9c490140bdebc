// A model that keeps something from one inference to the next: its results over time, and a reset.
import { Course } from "./course.js";
import { button, byId, make } from "./elements.js";
import { count } from "./values.js";

const counted = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

export class Stream {
  constructor(data) {
    this.data = data;
    this.rows = data.image.rows;
    this.isShown = data.keeps && !data.microphone;
    this.course = new Course(data.outputs[0]);
    this.text = make("p", { class: "soft", id: "stream-text", role: "status" });
    this.reset();
    if (!this.isShown) return;
    const again = button("Reset", () => this.reset(), { id: "reset" });
    byId("stream").append(make("h3", {}, "Over time"), this.course.element, this.text, again);
  }

  /** The next inference begins anew. */
  reset() {
    this.begins = true;
    Object.assign(this, { inferences: 0, results: 0, events: [] });
    this.course.clear();
    this.tell();
  }

  /** The results of an inference, in order. */
  add(steps) {
    this.begins = false;
    this.inferences++;
    for (const { found, events } of steps) {
      this.results++;
      const named = eventName(this.data, events);
      if (named) this.events.push(`${named} (result ${count(this.results)})`);
      this.course.add(found[0], named);
    }
    this.tell();
  }

  tell() {
    const { inferences, results, rows, events } = this;
    const calls = rows ? `${count(inferences * rows)} rows pushed` : counted(inferences, "inference");
    const said = this.data.image.symbols.events.length ? ` Events: ${events.join(", ") || "none"}.` : "";
    this.text.textContent = inferences ? `${calls}, ${counted(results, "result")} since the reset.${said}` : "Begins anew with the next input.";
  }
}

/** The class that was just recognised in the first output with events; undefined for none. */
export function eventName({ outputs }, events) {
  const port = outputs.find((each) => each.event !== null);
  if (!port || events[port.event] < 0) return undefined;
  return port.labels[events[port.event]] ?? `value ${events[port.event]}`;
}
