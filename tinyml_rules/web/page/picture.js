// A larger square: a picture of the reader's, which stays on the reader's machine.
import { labelled, make } from "./elements.js";
import { emptyOf, limitsOf } from "./values.js";

const GREY = [0.299, 0.587, 0.114]; // of red, green, blue: ITU-R BT.601
const LEAST_PIXELS = 224;

export function picture(place, { inputs, editor }, { changed, empty, failed }) {
  const [port] = inputs;
  const { side, channels, levels } = editor;
  const elements = emptyOf(port);
  const size = { width: side, height: side };
  const shown = make("canvas", { ...size, class: "paper", role: "img", "aria-label": "What the model is given" });
  shown.style.width = `${Math.max(LEAST_PIXELS, side)}px`;
  const file = make("input", { type: "file", accept: "image/*", id: "picture" });
  const tell = () => {
    paint(shown, elements, port, channels);
    changed([elements.slice()]);
  };
  file.addEventListener("change", async () => {
    try {
      elements.set(await valuesOf(file.files[0], side, channels, levels));
      tell();
    } catch (error) {
      failed(`not a picture: ${error.message}`);
    }
  });
  place.append(labelled("Picture", file, `becomes ${side} × ${side} ${channels === 1 ? "greys" : "colours"}`), shown);
  return {
    set([values]) {
      elements.set(values);
      tell();
    },
    showed() {},
    begin() {
      paint(shown, elements, port, channels);
      empty("Choose a picture: nothing has no answer.");
    },
  };
}

/** Its middle, as large a square as there is. */
async function valuesOf(file, side, channels, levels) {
  const bitmap = await createImageBitmap(file);
  const least = Math.min(bitmap.width, bitmap.height);
  const canvas = new OffscreenCanvas(side, side);
  const context = canvas.getContext("2d");
  const [left, top] = [(bitmap.width - least) / 2, (bitmap.height - least) / 2];
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, left, top, least, least, 0, 0, side, side);
  const { data } = context.getImageData(0, 0, side, side);
  return Array.from({ length: side * side * channels }, (_, i) => {
    const pixel = 4 * Math.floor(i / channels);
    const colours = data.subarray(pixel, pixel + 3);
    const byte = channels === 1 ? GREY.reduce((sum, part, k) => sum + part * colours[k], 0) : colours[i % channels];
    const its = levels[i % channels];
    return its[Math.round((byte / 255) * (its.length - 1))];
  });
}

/** A pixel for each value; ink is the darker the more of it there is. */
export function paint(canvas, elements, port, channels, { isInk = false } = {}) {
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  const [least, most] = limitsOf(port);
  for (let i = 0; i < canvas.width * canvas.height; i++) {
    for (let k = 0; k < 3; k++) {
      const value = elements[i * channels + (channels === 1 ? 0 : k)];
      const share = (value - least) / (most - least);
      image.data[4 * i + k] = 255 * (isInk ? 1 - share : share);
    }
    image.data[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}
