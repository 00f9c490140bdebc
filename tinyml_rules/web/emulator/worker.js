// The firmware in a thread of its own.  Messages in: {image}, then {inputs}, or {blocks} of
// samples, either of which may begin anew; out: {ready}, {cycles} on the way, {result}, {error}.
import { Machine } from "machine";

import { Firmware } from "./firmware.js";

const MILLISECONDS = 50; // between two messages of progress

let firmware;
let last = 0;

function progress(cycles) {
  if (performance.now() - last < MILLISECONDS) return;
  last = performance.now();
  postMessage({ cycles });
}

onmessage = ({ data }) => {
  try {
    if (data.image) {
      firmware = new Firmware(Machine, data.image);
      postMessage({ ready: true });
    } else if (data.blocks) {
      const began = performance.now();
      const heard = data.blocks.map((block, i) => firmware.hear(block, data.begins && i === 0));
      postMessage({ result: { heard, milliseconds: performance.now() - began } });
    } else {
      last = performance.now();
      postMessage({ result: firmware.infer(data.inputs, data.begins, progress) });
    }
  } catch (error) {
    postMessage({ error: error.message });
  }
};
