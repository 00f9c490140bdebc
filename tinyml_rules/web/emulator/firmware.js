// The firmware around one model, as it was linked: inputs are put where it calls the model, outputs
// taken where the model returns.  Nothing in it is changed.
const STEPS = 1 << 18; // between two looks at how far it is
const STEPS_OF_CALL = 1 << 20; // of a function that returns an address or sets what is kept

const nothing = () => ({ cycles: 0, instructions: 0, stack: 0 });

export class Firmware {
  /** `Machine`: the class of an emulator.  `image`: {part, code, symbols, outputBytes, rows, rowBytes,
   * argument, isTold, intBytes}.
   *
   * `symbols`: addresses of the `entry` of the model, of its `reset`, of the functions that return its
   * `inputs` and `outputs`, of the end of the stack, and of where the processor `stops` when all is
   * lost; `events` are functions that the firmware calls after a result.  `argument`: the number of
   * the entry's argument that points to a row or to samples.  `isTold`: the entry returns whether the
   * outputs are new. */
  constructor(Machine, image) {
    this.image = image;
    this.machine = new Machine(image.part, image.code, image.symbols.vectors);
    this.deepest = 0;
    this.run(image.symbols.entry);
    const { inputs, outputs } = image.symbols;
    this.inputs = inputs.map((each) => this.call(each));
    this.outputs = outputs.map((each) => this.call(each));
  }

  /** One inference: `inputs` and the outputs are bytes; `progress` is called with the cycles so far.
   * Where it `begins`, what the firmware keeps is forgotten first.  `steps` has {outputs, events} of
   * every result on the way, of rows that slide or of a model that ends early none, one or several. */
  infer(inputs, begins = false, progress = () => {}) {
    const { image, machine } = this;
    const total = nothing();
    const steps = [];
    const calls = image.rows || 1;
    for (let call = 0; call < calls; call++) {
      this.come();
      if (begins && call === 0 && image.symbols.reset) this.call(image.symbols.reset);
      if (image.rows) {
        const row = inputs[0].subarray(call * image.rowBytes, (call + 1) * image.rowBytes);
        machine.write(machine.argument(image.argument), row);
      }
      this.inputs.forEach((address, i) => machine.write(address, inputs[i]));
      this.measure(total, progress);
      const isNew = image.isTold ? machine.result() & 1 : call === calls - 1;
      if (isNew) steps.push(this.found());
    }
    return { ...total, deepest: this.deepest, steps };
  }

  /** A block of samples as bytes, as many as the firmware takes at a time; `outputs` are there where
   * it has a result.  The first block of a recording `begins` anew. */
  hear(block, begins) {
    const { image, machine } = this;
    const total = nothing();
    this.come();
    if (begins) this.call(image.symbols.reset);
    machine.write(machine.argument(image.argument), block);
    this.measure(total);
    const isNew = machine.result() & 1; // a bool
    const found = isNew ? this.found() : {};
    return { ...total, deepest: this.deepest, ...found };
  }

  /** To where the model is called next. */
  come() {
    const { entry } = this.image.symbols;
    if (this.machine.pc !== entry) this.run(entry);
  }

  /** The outputs as bytes; of each function of events the number of the class that it gave to the
   * firmware, which calls them after a result, or -1. */
  found() {
    const outputs = this.outputs.map((at, i) => this.machine.read(at, this.image.outputBytes[i]));
    return { outputs, events: this.image.symbols.events.map((each) => this.called(each)) };
  }

  /** What a function returns that the firmware calls next. */
  called(address) {
    this.run(address);
    const { address: back, stack } = this.machine.caller();
    this.run(back, stack);
    const unused = 32 - 8 * this.image.intBytes;
    return (this.machine.result() << unused) >> unused;
  }

  /** The call of the model that begins now, to its return. */
  measure(total, progress = () => {}) {
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

  /** What a function of the header returns, called where the model is: a caller's memory is the first
   * argument of both. */
  call(address) {
    const { machine } = this;
    const before = machine.save();
    const back = { address: machine.pc, stack: machine.stack };
    machine.enter(address);
    if (!machine.runTo(back.address, back.stack, STEPS_OF_CALL)) {
      throw new Error(`no return from 0x${address.toString(16)}`);
    }
    const found = machine.result();
    machine.restore(before);
    return found;
  }
}
