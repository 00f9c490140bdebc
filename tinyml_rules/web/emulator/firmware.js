// The firmware around one model, as it was linked: inputs are put where it calls the model, outputs
// taken where the model returns.  Nothing in it is changed.
const STEPS = 1 << 18; // between two looks at how far it is
const STEPS_TO_POINTER = 1000; // of a function that returns an address

export class Firmware {
  /** `Machine`: the class of an emulator.  `image`: {part, code, symbols, outputBytes, rows, rowBytes, rowArgument}.
   *
   * `symbols`: addresses of the `entry` of the model, of the functions that return its `inputs` and
   * `outputs`, of the end of the stack, and of where the processor `stops` when all is lost. */
  constructor(Machine, image) {
    this.image = image;
    this.machine = new Machine(image.part, image.code, image.symbols.vectors);
    this.deepest = 0;
    this.run(image.symbols.entry);
    const { inputs, outputs } = image.symbols;
    this.inputs = inputs.map((each) => this.pointer(each));
    this.outputs = outputs.map((each) => this.pointer(each));
  }

  /** One inference: `inputs` and the outputs are bytes; `progress` is called with the cycles so far. */
  infer(inputs, progress = () => {}) {
    const { image, machine } = this;
    const total = { cycles: 0, instructions: 0, stack: 0 };
    for (let call = 0; call < (image.rows || 1); call++) {
      if (machine.pc !== image.symbols.entry) this.run(image.symbols.entry);
      if (image.rows) {
        const row = inputs[0].subarray(call * image.rowBytes, (call + 1) * image.rowBytes);
        machine.write(machine.argument(image.rowArgument), row);
      }
      this.inputs.forEach((address, i) => machine.write(address, inputs[i]));
      this.measure(total, progress);
    }
    const outputs = this.outputs.map((at, i) => machine.read(at, image.outputBytes[i]));
    return { ...total, deepest: this.deepest, outputs };
  }

  /** The call of the model that begins now, to its return. */
  measure(total, progress) {
    const { machine } = this;
    const { address, stack } = machine.caller();
    const { cycles, instructions } = machine;
    machine.lowest = machine.stack;
    this.run(address, stack, () => progress(total.cycles + machine.cycles - cycles));
    total.cycles += machine.cycles - cycles;
    total.instructions += machine.instructions - instructions;
    total.stack = Math.max(total.stack, stack - machine.lowest);
  }

  run(address, stack, progress = () => {}) {
    const { symbols } = this.image;
    while (!this.machine.runTo(address, stack, STEPS)) {
      if (symbols.stops.includes(this.machine.pc)) throw new Error("the firmware crashed");
      progress();
    }
    this.deepest = Math.max(this.deepest, symbols.stackTop - this.machine.lowest);
  }

  /** What a function of the header returns, asked where the model is called: a caller's memory is
   * the first argument of both. */
  pointer(address) {
    const { machine } = this;
    const before = machine.save();
    const back = { address: machine.pc, stack: machine.stack };
    machine.enter(address);
    if (!machine.runTo(back.address, back.stack, STEPS_TO_POINTER)) {
      throw new Error(`no pointer from 0x${address.toString(16)}`);
    }
    const found = machine.result();
    machine.restore(before);
    return found;
  }
}
