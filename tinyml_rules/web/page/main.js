// The page: an editor for the input, the firmware in its emulator, and what comes out.
import { curve } from "./curve.js";
import { drawing } from "./drawing.js";
import { byId } from "./elements.js";
import { numbers } from "./numbers.js";
import { listening } from "./listening.js";
import { picture } from "./picture.js";
import { Recorded } from "./recorded.js";
import { Results } from "./results.js";
import { Runner } from "./runner.js";
import { Stream } from "./stream.js";
import { bytesOf, count, elementsOf } from "./values.js";

const EDITORS = { curve, draw: drawing, image: picture, sound: listening, values: numbers };
const SLOW = 400; // milliseconds from which on there is a bar

const data = JSON.parse(byId("data").textContent);
const results = new Results(data);
const stream = new Stream(data);
const bar = byId("progress");
let usual = 0; // cycles of an inference
let isEmpty = false; // no input is there yet
let timer;

function busy(is) {
  if (!is) {
    clearTimeout(timer);
    timer = undefined;
    byId("running").hidden = true;
  } else if (timer === undefined) {
    timer = setTimeout(() => (byId("running").hidden = false), SLOW);
  }
}

function cycles(now) {
  byId("so-far").textContent = `${count(now)} cycles`;
  if (usual) bar.value = Math.min(1, now / usual);
}

function failed(text) {
  byId("error").textContent = text;
}

const runner = new Runner(data, { busy: data.microphone ? () => {} : busy, cycles, failed });

/** One that somebody waits for. */
async function changed(elements) {
  failed("");
  isEmpty = false;
  recorded.mark(-1); // it marks its own itself
  try {
    const result = await runner.infer(elements.map(bytesOf), stream.begins);
    usual = result.cycles;
    results.count(result);
    if (isEmpty) return;
    const steps = result.steps.map(decodedStep);
    stream.add(steps);
    show(steps.at(-1), result);
    if (steps.length) editor.showed(elements, steps.at(-1).found);
    document.body.dataset.shown = results.inferences;
  } catch (error) {
    if (!["replaced", "stopped"].includes(error.message)) failed(error.message);
  }
}

const decodedStep = ({ outputs, events }) => ({
  found: outputs.map((bytes, i) => elementsOf(data.outputs[i], bytes)),
  events,
});

/** The last result of an inference, if there was one. */
function show(step, result) {
  if (step) return results.show(step, result);
  results.clear("No result yet: more rows are needed.");
  return results.took(result);
}

/** No input: no answer either. */
function empty(text) {
  failed("");
  isEmpty = true;
  recorded.mark(-1);
  results.clear(text);
}

/** Nobody waits for this one; the stream begins anew after it. */
async function patiently(inputs, begins) {
  const result = await runner.infer(inputs, begins, { patient: true });
  results.count(result);
  if (data.keeps) stream.reset();
  return { outputs: [], ...result, ...result.steps.at(-1) };
}

/** Blocks of samples; a promise of what each gave, with elements of outputs where there are new ones. */
async function hear(blocks, begins) {
  failed("");
  const { heard, milliseconds } = await runner.hear(blocks, begins);
  for (const each of heard) {
    results.count(each);
    if (each.outputs) Object.assign(each, decodedStep(each));
  }
  const last = heard.findLast((each) => each.found);
  if (last) results.show(last, last);
  results.took(heard.at(-1));
  document.body.dataset.shown = results.inferences;
  return { heard, milliseconds };
}

byId("stop").addEventListener("click", () => {
  runner.stop();
  stream.reset();
});
const handlers = { changed, empty, patiently, failed, hear, results };
const editor = EDITORS[data.editor.kind](byId("editor"), data, handlers);
const recorded = new Recorded(byId("known"), data, { chosen: (elements) => editor.set(elements), patiently });
if (!recorded.open()) editor.begin();
