// Ticks of an axis at round numbers.
const FACTORS = [1, 2, 5, 10];

/** Multiples of 1, 2 or 5 times a power of ten between two numbers, about so many of them. */
export function ticks(low, high, about) {
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * FACTORS.find((each) => each * power >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}
