// A small square: drawn by hand as dots, 4 x 4 of them a value, as a scanner would count them.
import { button, make } from "./elements.js";
import { emptyOf } from "./values.js";

const DOTS = 4; // a value, along either side
const SIZE = 320; // pixels of the paper, about
const PEN = 0.045; // its radius, as a part of the paper
const FIRST = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]; // which dots of a cell are dark first

class Paper {
  constructor(side) {
    this.dots = side * DOTS;
    this.pixels = Math.floor(SIZE / this.dots) * this.dots;
    this.ink = new Uint8Array(this.dots * this.dots);
    const label = "Paper: draw with the pointer, or move the pen by the arrow keys and ink by the space bar";
    this.element = make("canvas", {
      width: this.pixels,
      height: this.pixels,
      class: "paper",
      tabindex: 0,
      role: "application",
      "aria-label": label,
      id: "paper",
    });
    this.pen = { x: this.dots / 2, y: this.dots / 2 };
  }

  /** The first stroke on a digit that is shown begins a new one. */
  begin() {
    if (this.isShown) this.ink.fill(0);
    this.isShown = false;
  }

  put(x, y) {
    const radius = PEN * this.dots;
    for (let row = Math.ceil(y - radius); row <= y + radius; row++) {
      for (let column = Math.ceil(x - radius); column <= x + radius; column++) {
        const isInside = row >= 0 && column >= 0 && row < this.dots && column < this.dots;
        if (isInside && (column - x) ** 2 + (row - y) ** 2 <= radius * radius) {
          this.ink[row * this.dots + column] = 1;
        }
      }
    }
    this.pen = { x, y };
  }

  line(to) {
    const from = this.pen;
    const steps = Math.max(1, Math.ceil(2 * Math.hypot(to.x - from.x, to.y - from.y)));
    for (let i = 1; i <= steps; i++) {
      this.put(from.x + ((to.x - from.x) * i) / steps, from.y + ((to.y - from.y) * i) / steps);
    }
  }

  paint() {
    const context = this.element.getContext("2d");
    const size = this.pixels / this.dots;
    const style = getComputedStyle(this.element);
    context.fillStyle = style.backgroundColor;
    context.fillRect(0, 0, this.pixels, this.pixels);
    context.fillStyle = style.color;
    this.ink.forEach((is, i) => {
      if (is) context.fillRect((i % this.dots) * size, Math.floor(i / this.dots) * size, size, size);
    });
    if (document.activeElement === this.element) {
      context.strokeStyle = style.color;
      context.strokeRect(this.pen.x * size - 4, this.pen.y * size - 4, 8, 8);
    }
  }
}

/** Dark dots of each cell, as a share. */
function shares({ ink, dots }, side) {
  const found = new Float64Array(side * side);
  ink.forEach((is, i) => {
    const row = Math.floor(i / dots / DOTS);
    found[row * side + Math.floor((i % dots) / DOTS)] += is / (DOTS * DOTS);
  });
  return found;
}

export function drawing(place, { inputs, editor }, { changed, empty }) {
  const [port] = inputs;
  const paper = new Paper(editor.side);
  const [levels] = editor.levels;
  const elements = emptyOf(port);
  const invitation = make("span", { class: "invitation", "aria-hidden": "true" }, "draw here");
  const tell = () => {
    paper.paint();
    invitation.hidden = paper.ink.includes(1);
    if (!invitation.hidden) return empty("Draw something: an empty paper has no answer.");
    shares(paper, editor.side).forEach((share, i) => {
      elements[i] = levels[Math.round(share * (levels.length - 1))];
    });
    return changed([elements.slice()]);
  };
  listen(paper, tell);
  const clear = () => {
    paper.ink.fill(0);
    tell();
  };
  const note = `${editor.side} × ${editor.side} values, each of ${DOTS} × ${DOTS} dots. Draw your own: it begins with an empty paper.`;
  place.append(make("div", { class: "sheet" }, paper.element, invitation), make("p", { class: "soft" }, note), button("Clear", clear, { id: "clear" }));
  return {
    set([values]) {
      elements.set(values);
      inkOf(paper, values, levels, editor.side);
      paper.isShown = true;
      paper.paint();
      invitation.hidden = true;
      changed([elements.slice()]);
    },
    showed() {},
    begin: tell,
  };
}

/** As much ink in each cell as makes its value. */
function inkOf(paper, values, levels, side) {
  const level = (value) => levels.reduce((best, each, i) => (Math.abs(each - value) < Math.abs(levels[best] - value) ? i : best), 0);
  const dots = Array.from(values, (value) => Math.round((level(value) / (levels.length - 1)) * DOTS * DOTS));
  paper.ink.forEach((_, i) => {
    const row = Math.floor(i / paper.dots);
    const column = i % paper.dots;
    const within = (row % DOTS) * DOTS + (column % DOTS);
    paper.ink[i] = FIRST[within] < dots[Math.floor(row / DOTS) * side + Math.floor(column / DOTS)] ? 1 : 0;
  });
}

function listen(paper, tell) {
  const { element } = paper;
  const at = (event) => {
    const box = element.getBoundingClientRect();
    return { x: ((event.clientX - box.left) / box.width) * paper.dots, y: ((event.clientY - box.top) / box.height) * paper.dots };
  };
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    const { x, y } = at(event);
    paper.begin();
    paper.put(x, y);
    tell();
  });
  element.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    paper.line(at(event));
    tell();
  });
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], " ": [0, 0] };
  element.addEventListener("keydown", (event) => {
    if (!(event.key in ways)) return;
    event.preventDefault();
    const [x, y] = ways[event.key];
    const inside = (value) => Math.min(paper.dots - 1, Math.max(0, value));
    const to = { x: inside(paper.pen.x + x), y: inside(paper.pen.y + y) };
    if (event.key === " " || event.shiftKey) {
      paper.begin();
      paper.line(to);
    } else paper.pen = to;
    tell();
  });
  for (const name of ["focus", "blur"]) element.addEventListener(name, () => paper.paint());
  matchMedia("(prefers-color-scheme:dark)").addEventListener("change", () => paper.paint());
}
