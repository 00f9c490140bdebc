// The emulator in its worker: one inference at a time, the last one asked for next.
import { byId } from "./elements.js";
import { decoded } from "./values.js";

export class Runner {
  /** `told`: functions {busy, cycles, failed} of what the page shows meanwhile. */
  constructor({ image, code }, told) {
    this.image = { ...image, code: decoded(code) };
    this.told = told;
    const text = byId("worker").textContent;
    this.url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    this.start();
  }

  start() {
    this.worker = new Worker(this.url);
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = (event) => this.receive({ error: event.message });
    this.worker.postMessage({ image: this.image });
    this.isReady = false;
    this.current = undefined;
    this.urgent = undefined;
    this.waiting = [];
  }

  /** Of bytes of each input; a promise of {steps, cycles, ...}. */
  infer(inputs, begins, options = {}) {
    return this.ask({ inputs, begins }, options);
  }

  /** Of blocks of samples as bytes; a promise of {heard, milliseconds}.  All are heard, in order. */
  hear(blocks, begins) {
    return this.ask({ blocks, begins }, { patient: true });
  }

  /** A promise of what the worker answers.  Of those that are asked while another runs the last one
   * alone is run; those that are `patient` all are, when nothing else is. */
  ask(message, { patient = false }) {
    return new Promise((done, failed) => {
      const job = { message, done, failed };
      if (patient) this.waiting.push(job);
      else {
        this.urgent?.failed(new Error("replaced"));
        this.urgent = job;
      }
      this.next();
    });
  }

  next() {
    if (!this.isReady || this.current) return;
    this.current = this.urgent ?? this.waiting.shift();
    if (this.current === this.urgent) this.urgent = undefined;
    this.told.busy(Boolean(this.current));
    if (this.current) this.worker.postMessage(this.current.message);
  }

  receive({ ready, cycles, result, error }) {
    if (cycles !== undefined) return this.told.cycles(cycles);
    if (ready) this.isReady = true;
    const job = this.current;
    this.current = undefined;
    if (result) job.done(result);
    if (error) {
      this.told.failed(error);
      job?.failed(new Error(error));
      this.isReady = false;
      return this.told.busy(false);
    }
    this.next();
  }

  /** End what runs; the firmware begins anew. */
  stop() {
    this.worker.terminate();
    for (const job of [this.current, this.urgent, ...this.waiting]) job?.failed(new Error("stopped"));
    this.told.busy(false);
    this.start();
  }
}
