// Numbers from files: .npy of numpy, and text with commas, blanks or lines between them.
const MAGIC = "\x93NUMPY";
const READERS = {
  i1: ["getInt8", 1],
  u1: ["getUint8", 1],
  b1: ["getUint8", 1],
  i2: ["getInt16", 2],
  u2: ["getUint16", 2],
  i4: ["getInt32", 4],
  u4: ["getUint32", 4],
  f4: ["getFloat32", 4],
  f8: ["getFloat64", 8],
};

/** {numbers, isInteger}; an Error for what is none. */
export function numbersIn(name, buffer) {
  return name.endsWith(".npy") ? ofNumpy(buffer) : ofText(buffer);
}

function ofText(buffer) {
  const words = new TextDecoder().decode(buffer).split(/[\s,;]+/).filter((word) => word && word !== "…");
  const numbers = words.map(Number);
  const wrong = numbers.findIndex((each) => !Number.isFinite(each));
  if (wrong >= 0) throw new Error(`'${words[wrong].slice(0, 20)}' is no number`);
  return { numbers, isInteger: false };
}

function ofNumpy(buffer) {
  const view = new DataView(buffer);
  const latin = (from, size) => String.fromCharCode(...new Uint8Array(buffer, from, size));
  if (buffer.byteLength < 12 || latin(0, 6) !== MAGIC) throw new Error("not a .npy file");
  const isFirst = view.getUint8(6) === 1;
  const start = isFirst ? 10 : 12;
  const size = isFirst ? view.getUint16(8, true) : view.getUint32(8, true);
  if (start + size > buffer.byteLength) throw new Error("a .npy file that is cut off");
  const header = latin(start, size);
  const [, order, kind] = /'descr': '([<|>])(\w\d)'/.exec(header) ?? [];
  if (!READERS[kind] || order === ">" || header.includes("'fortran_order': True")) {
    throw new Error("a .npy file of another kind, expected numbers of up to 32 bits, or float64, row by row");
  }
  const [reader, bytes] = READERS[kind];
  const total = Math.floor((buffer.byteLength - start - size) / bytes);
  const numbers = Array.from({ length: total }, (_, i) => view[reader](start + size + i * bytes, true));
  return { numbers, isInteger: kind[0] !== "f" };
}
