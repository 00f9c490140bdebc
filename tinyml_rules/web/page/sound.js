// Samples of 16 bits: out of a WAV file, and at another rate.
const PCM = 1;
const EXTENSIBLE = 0xfffe;
const ZEROS = 16; // of the sinc function, on either side of a sample

const clamped = (number) => Math.min(32767, Math.max(-32768, Math.round(number)));

/** {rate, samples} of one channel; an Error for what is none. */
export function soundIn(buffer) {
  const view = new DataView(buffer);
  const word = (at) => String.fromCharCode(...new Uint8Array(buffer.slice(at, at + 4)));
  if (word(0) !== "RIFF" || word(8) !== "WAVE") throw new Error("not a WAV file");
  let rate = 0;
  for (let at = 12; at + 8 <= buffer.byteLength; ) {
    const [size, from] = [view.getUint32(at + 4, true), at + 8];
    if (word(at) === "fmt " && from + 16 <= buffer.byteLength) rate = rateIn(view, from);
    if (word(at) === "data" && rate) {
      const count = Math.floor(Math.min(size, buffer.byteLength - from) / 2);
      return { rate, samples: Int16Array.from({ length: count }, (_, i) => view.getInt16(from + 2 * i, true)) };
    }
    at = from + size + (size & 1);
  }
  throw new Error("a WAV file that is cut off");
}

function rateIn(view, from) {
  const [kind, channels] = [view.getUint16(from, true), view.getUint16(from + 2, true)];
  const [rate, bits] = [view.getUint32(from + 4, true), view.getUint16(from + 14, true)];
  if (![PCM, EXTENSIBLE].includes(kind) || channels !== 1 || bits !== 16 || !rate) {
    throw new Error(`a WAV file of ${channels} × ${bits} bits at ${rate} Hz, expected one channel of 16-bit PCM`);
  }
  return rate;
}

/** The same sound at another rate, without what is above half of the lower one. */
export function resampled(samples, from, to) {
  if (from === to) return samples;
  const share = Math.min(1, to / from);
  const reach = ZEROS / share;
  return Int16Array.from({ length: Math.floor((samples.length * to) / from) }, (_, i) => {
    const at = (i * from) / to;
    let sum = 0;
    for (let k = Math.max(0, Math.ceil(at - reach)); k <= at + reach && k < samples.length; k++) {
      const x = (k - at) * share;
      const sinc = x ? Math.sin(Math.PI * x) / (Math.PI * x) : 1;
      sum += samples[k] * sinc * (0.5 + 0.5 * Math.cos((Math.PI * x) / ZEROS));
    }
    return clamped(share * sum);
  });
}

/** What the browser's microphone gives, at a rate, until the function that is returned is called. */
export async function microphone(rate, take) {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  const context = new AudioContext({ sampleRate: rate });
  const source = context.createMediaStreamSource(stream);
  const node = context.createScriptProcessor(1024, 1, 1); // a worklet would be a script of its own
  node.onaudioprocess = ({ inputBuffer }) => {
    take(Int16Array.from(inputBuffer.getChannelData(0), (each) => clamped(32768 * each)));
  };
  source.connect(node);
  node.connect(context.destination); // of silence, or it is not asked
  return () => {
    node.onaudioprocess = null;
    for (const track of stream.getTracks()) track.stop();
    context.close();
  };
}
