// Values in rows and columns as a map of colours, from dark to bright.  A few values far from all
// others would take all colours: the lowest and the highest 5 % share the ends.
import { ticks } from "./axis.js";
import { make } from "./elements.js";
import { limitsOf, real, short } from "./values.js";

const LEAST_SIDE = 4; // values along either side
const END = 0.05; // of the values
const TICKS = 6; // along either axis, about
const STOPS = [
  [13, 27, 52],
  [24, 74, 133],
  [63, 140, 200],
  [158, 205, 235],
  [250, 253, 255],
];

/** {rows, columns} of a tensor with two sides; undefined for any other. */
export function gridOf({ shape }) {
  const sides = shape.filter((size) => size > 1);
  if (sides.length !== 2 || sides.some((size) => size < LEAST_SIDE)) return undefined;
  const [rows, columns] = sides;
  return { rows, columns };
}

function colourOf(share) {
  const place = share * (STOPS.length - 1);
  const before = Math.min(STOPS.length - 2, Math.floor(place));
  return STOPS[before].map((each, i) => each + (place - before) * (STOPS[before + 1][i] - each));
}

/** A canvas with a pixel for each value.  A high tensor is turned on its side, as a spectrum is drawn:
 * its first axis from left to right, its second from the bottom up. */
export function heatMap(port, elements, attributes = {}) {
  const { rows, columns } = gridOf(port);
  const isOnSide = rows > columns;
  const [width, height] = isOnSide ? [rows, columns] : [columns, rows];
  const { low, high } = rangeOf(port, elements);
  const canvas = make("canvas", { width, height, class: "heat", ...attributes });
  canvas.style.aspectRatio = `${width} / ${height}`;
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const value = elements[isOnSide ? x * columns + (height - 1 - y) : y * columns + x];
      const share = Math.min(1, Math.max(0, (value - low) / (high - low)));
      image.data.set([...colourOf(share), 255], 4 * (y * width + x));
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Numbers of rows or columns next to the map; `side`: where the first of them is. */
function axis(count, kind, side) {
  const marks = ticks(0, count - 1, TICKS).filter(Number.isInteger);
  const at = (number) => `${(100 * (number + 0.5)) / count}%`;
  const labels = marks.map((number) => {
    const label = make("span", {}, String(number));
    label.style[side] = at(number);
    return label;
  });
  return make("span", { class: `axis ${kind}`, "aria-hidden": "true" }, ...labels);
}

/** The map with what it shows: what runs along its axes, and which numbers the colours are. */
export function heatFigure(port, elements) {
  const { rows, columns } = gridOf(port);
  const { low, high, least, most } = rangeOf(port, elements);
  const say = (value) => short(real(port, value));
  const [row, column] = port.axes;
  const isOnSide = rows > columns;
  const text = `${rows} × ${columns} values from ${say(least)} to ${say(most)}`;
  const way = isOnSide ? `across: ${row}, up: ${column}` : `across: ${column}, down: ${row}`;
  const ends = [`${least < low ? "≤ " : ""}${say(low)}`, `${most > high ? "≥ " : ""}${say(high)}`];
  const scale = make("span", { class: "scale" }, ends[0], make("i", { "aria-hidden": "true" }), ends[1]);
  const up = isOnSide ? axis(columns, "up-axis", "bottom") : axis(rows, "up-axis", "top");
  const across = axis(isOnSide ? rows : columns, "across-axis", "left");
  const map = heatMap(port, elements, { role: "img", "aria-label": text });
  return [make("div", { class: "map" }, up, map, across), make("p", { class: "soft key" }, way, scale)];
}

/** Limits of the type; of a real number what is one below and above. */
function around(port, value) {
  return port.scale ? limitsOf(port) : [value - 1, value + 1];
}

/** {low, high}: at the ends of the colours; {least, most} of all.  Of equal values the type's limits. */
function rangeOf(port, elements) {
  const sorted = Array.from(elements).sort((one, other) => one - other);
  const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
  const [least, most] = [at(0), at(1)];
  const [low, high] = least === most ? around(port, least) : at(END) < at(1 - END) ? [at(END), at(1 - END)] : [least, most];
  return { low, high, least, most };
}
