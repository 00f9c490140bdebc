// Sound for a model with a microphone in front of it: a file, or the browser's own microphone.
import { Course } from "./course.js";
import { button, labelled, make } from "./elements.js";
import { eventName } from "./stream.js";
import { microphone, resampled, soundIn } from "./sound.js";
import { bytesOf, count, threeDigits } from "./values.js";

const BLOCKS = 5; // for the emulator at a time
const MOST_LINES = 1000;
const MOST_LATE = 10; // seconds

const seconds = (number) => `${number.toFixed(2)} s`;
const percent = (share) => `${threeDigits(100 * share)} %`;

class Listener {
  constructor(data, { hear, failed, results }) {
    Object.assign(this, { data, hear, failed, results });
    this.course = new Course(data.outputs[0]);
    this.progress = make("progress", { value: 0, max: 1, "aria-label": "What is heard of the sound" });
    this.status = make("p", { class: "soft", id: "heard", role: "status" });
    this.log = make("pre", { id: "log", tabindex: 0, "aria-label": "Each result" });
    this.details = make("details", { hidden: true }, make("summary", {}, "Each result"), this.log);
    this.begin();
  }

  /** A recording: what was heard before is forgotten, here and in the firmware. */
  begin() {
    this.turn = (this.turn ?? -1) + 1; // the recordings so far
    this.waiting = new Int16Array(0);
    Object.assign(this, { blocks: 0, cycles: 0, most: 0, milliseconds: 0, lines: [], events: [], total: 0 });
    this.course.clear();
    this.status.textContent = "";
    this.log.textContent = "";
    this.details.hidden = true;
    this.progress.value = 0;
  }

  /** More samples of it. */
  async put(samples) {
    const joined = new Int16Array(this.waiting.length + samples.length);
    joined.set(this.waiting);
    joined.set(samples, this.waiting.length);
    this.waiting = joined;
    this.total += samples.length;
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      while (this.waiting.length >= this.data.microphone.step) await this.next();
      this.status.dataset.done = this.turn;
    } catch (error) {
      this.failed(error.message);
    } finally {
      this.isBusy = false;
    }
  }

  /** A few blocks. */
  async next() {
    const { turn, waiting } = this;
    const { step } = this.data.microphone;
    const number = Math.min(BLOCKS, Math.floor(waiting.length / step));
    const blocks = Array.from({ length: number }, (_, i) => bytesOf(waiting.slice(i * step, (i + 1) * step)));
    this.waiting = waiting.slice(number * step);
    const { heard, milliseconds } = await this.hear(blocks, this.blocks === 0);
    if (this.turn !== turn) return; // another recording has begun
    this.milliseconds += milliseconds;
    for (const each of heard) this.take(each);
    this.show();
  }

  take({ cycles, found, events }) {
    this.blocks++;
    this.cycles += cycles;
    this.most = Math.max(this.most, cycles);
    if (!found) return;
    const event = eventName(this.data, events);
    if (event) this.events.push(`${event} (${seconds(this.time)})`);
    this.course.add(found[0], event);
    const [name, figure] = this.results.greatest(found);
    this.lines = [...this.lines, `${seconds(this.time)} ${name}${figure} (${found[0].join(", ")})${event ? `: event ${event}` : ""}`].slice(-MOST_LINES);
  }

  get time() {
    return (this.blocks * this.data.microphone.step) / this.data.microphone.rate;
  }

  show() {
    const { clock, microphone: its } = this.data;
    const share = this.cycles / clock / this.time;
    const most = this.most / clock / (its.step / its.rate);
    const slow = this.milliseconds / 1000 / this.time;
    const page = slow > 1 ? `${threeDigits(slow)} times as long as the sound lasts` : "less than the sound lasts";
    const late = share > 1 ? "; that is more time than there is, and it would lose samples" : "";
    const said = this.data.image.symbols.events.length ? ` Events: ${this.events.join(", ") || "none"}.` : "";
    this.status.textContent =
      `${seconds(this.time)} heard.${said} The part takes ${percent(share)} of the time, ` +
      `${percent(most)} for the longest block${late}. This page took ${seconds(this.milliseconds / 1000)}, ${page}.`;
    this.progress.value = (this.blocks * its.step) / (this.total - (this.total % its.step));
    this.log.textContent = this.lines.join("\n");
    this.details.hidden = !this.lines.length;
  }
}

/** What is heard: a file, again and again, or the microphone until it is stopped. */
class Source {
  constructor(data, handlers) {
    this.rate = data.microphone.rate;
    this.listener = new Listener(data, handlers);
    Object.assign(this, { failed: handlers.failed, empty: handlers.empty, end: () => {} });
    this.again = button("Hear it again", () => this.hear(), { id: "again", hidden: true });
    this.halt = button("Stop", () => this.stop(), { id: "halt", hidden: true });
  }

  stop() {
    this.end();
    this.end = () => {};
    this.halt.hidden = true;
  }

  begin() {
    this.empty("Listening.");
    this.listener.begin();
  }

  async open(file) {
    try {
      const { samples, rate } = soundIn(await file.arrayBuffer());
      this.sound = resampled(samples, rate, this.rate);
      await this.hear();
    } catch (error) {
      this.failed(error.message);
    }
  }

  async hear() {
    this.stop();
    this.begin();
    this.again.hidden = false;
    await this.listener.put(this.sound);
  }

  async listen() {
    this.stop();
    try {
      const end = await microphone(this.rate, (samples) => this.take(samples));
      this.begin();
      this.end = end;
      this.halt.hidden = false;
    } catch (error) {
      this.failed(`no microphone: ${error.message}`);
    }
  }

  take(samples) {
    this.listener.put(samples);
    if (this.listener.waiting.length <= MOST_LATE * this.rate) return;
    this.stop();
    this.failed(`the emulator is ${MOST_LATE} s later than the microphone: hear a file instead`);
  }
}

export function listening(place, data, handlers) {
  const source = new Source(data, handlers);
  const { listener } = source;
  const file = make("input", { type: "file", accept: ".wav,audio/wav", id: "sound" });
  file.addEventListener("change", () => source.open(file.files[0]));
  const own = navigator.mediaDevices
    ? button("Microphone", () => source.listen(), { id: "microphone" })
    : make("span", { class: "soft" }, "This browser gives no microphone to a file.");
  const choices = make("p", { class: "row-of" }, source.again, own, source.halt);
  const note = `a WAV file of 16-bit PCM, one channel; another rate than ${count(source.rate)} Hz is made that`;
  place.append(labelled("Sound", file, note), choices, listener.progress, listener.status, listener.course.element, listener.details);
  return { set() {}, showed() {}, begin: () => handlers.empty("Choose a sound: nothing has no answer.") };
}
