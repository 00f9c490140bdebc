// Values of a tensor: its bytes, its integers, and their real numbers.
const ARRAYS = {
  int8: Int8Array,
  uint8: Uint8Array,
  bool: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  float32: Float32Array,
};
const LIMITS = { int8: [-128, 127], uint8: [0, 255], bool: [0, 1], int16: [-32768, 32767] };

export const decoded = (text) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0));

export const bytesOf = (values) => new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

/** A tensor's elements, zero points at first. */
export function emptyOf(port) {
  return new ARRAYS[port.type](port.count).fill(port.zeroPoint);
}

export function elementsOf(port, bytes) {
  return new ARRAYS[port.type](bytes.slice().buffer);
}

/** The least and the greatest integer of a quantized tensor. */
export function limitsOf(port) {
  return LIMITS[port.type] ?? [-(2 ** 31), 2 ** 31 - 1];
}

export function real(port, value) {
  return port.scale ? port.scale * (value - port.zeroPoint) : value;
}

/** Ties away from zero, clamped. */
export function quantized(port, number) {
  if (!port.scale) return number;
  const scaled = number / port.scale;
  const whole = Math.sign(scaled) * Math.floor(Math.abs(scaled) + 0.5) + port.zeroPoint;
  const [least, most] = limitsOf(port);
  return Math.min(most, Math.max(least, whole));
}

export const count = (number) => number.toLocaleString("en");

export function short(number) {
  if (!Number.isFinite(number)) return String(number);
  return Number.isInteger(number) ? count(number) : String(Number(number.toPrecision(4)));
}

/** Milliseconds in three digits that say something. */
export function threeDigits(number) {
  if (!number) return "0";
  const places = Math.max(0, 2 - Math.floor(Math.log10(number)));
  return number.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
}
