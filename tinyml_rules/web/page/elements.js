// Elements of a page, made without markup: what comes from a model is text and nothing else.
const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

export function make(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function draw(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

export const byId = (name) => document.getElementById(name);

export function labelled(text, control, note = "") {
  return make("label", { class: "field" }, make("span", {}, text), control, note && make("small", {}, note));
}

export function button(text, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, text);
}
