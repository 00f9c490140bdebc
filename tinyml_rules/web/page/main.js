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
import { bytesOf, count, elementsOf } from "./values.js";

const EDITORS = { curve, draw: drawing, image: picture, sound: listening, values: numbers };
const SLOW = 400; // milliseconds from which on there is a bar

const data = JSON.parse(byId("data").textContent);
const results = new Results(data);
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
    const result = await runner.infer(elements.map(bytesOf));
    usual = result.cycles;
    results.count(result);
    if (isEmpty) return;
    const found = result.outputs.map((bytes, i) => elementsOf(data.outputs[i], bytes));
    results.show(found, result);
    editor.showed(elements, found);
    document.body.dataset.shown = results.inferences;
  } catch (error) {
    if (!["replaced", "stopped"].includes(error.message)) failed(error.message);
  }
}

/** No input: no answer either. */
function empty(text) {
  failed("");
  isEmpty = true;
  recorded.mark(-1);
  results.clear(text);
}

async function patiently(inputs) {
  const result = await runner.infer(inputs, { patient: true });
  results.count(result);
  return result;
}

/** Blocks of samples; a promise of what each gave, with elements of outputs where there are new ones. */
async function hear(blocks, begins) {
  failed("");
  const { heard, milliseconds } = await runner.hear(blocks, begins);
  for (const each of heard) {
    results.count(each);
    if (each.outputs) each.found = each.outputs.map((bytes, i) => elementsOf(data.outputs[i], bytes));
  }
  const last = heard.findLast((each) => each.found);
  if (last) results.show(last.found, last);
  results.took(heard.at(-1));
  document.body.dataset.shown = results.inferences;
  return { heard, milliseconds };
}

byId("stop").addEventListener("click", () => runner.stop());
const handlers = { changed, empty, patiently, failed, hear, results };
const editor = EDITORS[data.editor.kind](byId("editor"), data, handlers);
const recorded = new Recorded(byId("known"), data, { chosen: (elements) => editor.set(elements), patiently });
if (!recorded.open()) editor.begin();
