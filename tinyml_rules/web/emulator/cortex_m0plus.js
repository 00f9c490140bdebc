// A Cortex-M0+ with flash and RAM alone, by the core of rp2040js: steps, counts, looks at memory.
import { CortexM0Core } from "rp2040js-core";

const PUSH_WITH_LR = 0xb5; // the upper byte of the instruction
const POP_WITH_PC = 0xbd;

/** What the core reads and writes; anything else is a fault of the program. */
class Memory {
  constructor(regions) {
    this.regions = regions;
    this.logger = { info() {}, warn: (_, text) => this.fault(text) };
    this.onBreak = () => this.fault("a breakpoint");
  }

  fault(text) {
    throw new Error(`the program stopped: ${text}`);
  }

  at(address, size) {
    for (const region of this.regions) {
      const offset = address - region.origin;
      if (offset >= 0 && offset + size <= region.bytes.length) return { region, offset };
    }
    return this.fault(`no memory at 0x${address.toString(16)}`);
  }

  readUint32(address) {
    const { region, offset } = this.at(address >>> 0, 4);
    return region.view.getUint32(offset, true);
  }

  readUint16(address) {
    const { region, offset } = this.at(address >>> 0, 2);
    return region.view.getUint16(offset, true);
  }

  readUint8(address) {
    const { region, offset } = this.at(address >>> 0, 1);
    return region.bytes[offset];
  }

  writeUint32(address, value) {
    const { region, offset } = this.at(address >>> 0, 4);
    region.view.setUint32(offset, value, true);
  }

  writeUint16(address, value) {
    const { region, offset } = this.at(address >>> 0, 2);
    region.view.setUint16(offset, value, true);
  }

  writeUint8(address, value) {
    const { region, offset } = this.at(address >>> 0, 1);
    region.bytes[offset] = value;
  }
}

function region({ origin, bytes }, content = []) {
  const memory = new Uint8Array(bytes);
  memory.set(content);
  return { origin, bytes: memory, view: new DataView(memory.buffer) };
}

/** `part`: {flash, ram}, each {origin, bytes}; `code`: the contents of flash from its beginning on;
 * `vectors`: where the processor finds its stack and its first instruction. */
export class Machine {
  constructor(part, code, vectors) {
    this.memory = new Memory([region(part.flash, code), region(part.ram)]);
    this.core = new CortexM0Core(this.memory);
    this.core.VTOR = vectors;
    this.core.reset();
    this.instructions = 0;
    this.left_out = 0; // cycles
    this.lowest = this.stack;
  }

  /** Up to `steps` instructions; true where the processor came to an address, with that stack. */
  runTo(address, stack, steps) {
    const { core, memory } = this;
    const { registers } = core;
    for (let left = steps; left > 0; left--) {
      const kind = memory.readUint8(registers[15] + 1);
      // rp2040js forgets LR and PC among the registers: Cortex-M0+ TRM (DDI 0484C), table 3-1
      if (kind === PUSH_WITH_LR || kind === POP_WITH_PC) this.left_out++;
      core.executeInstruction();
      this.instructions++;
      const now = registers[13];
      if (now < this.lowest) this.lowest = now;
      if (registers[15] === address && (stack === undefined || now === stack)) return true;
    }
    return false;
  }

  get pc() {
    return this.core.PC;
  }

  get cycles() {
    return this.core.cycles + this.left_out;
  }

  get stack() {
    return this.core.SP;
  }

  /** Of a function whose first instruction is the next: where it goes back to, and the stack then. */
  caller() {
    return { address: (this.core.LR & ~1) >>> 0, stack: this.stack };
  }

  /** Begin a function that returns to where the processor is now. */
  enter(address) {
    this.core.LR = this.pc | 1;
    this.core.PC = address;
  }

  /** A pointer that a function is given. */
  argument(number) {
    return this.core.registers[number];
  }

  /** A pointer that it gives. */
  result() {
    return this.argument(0);
  }

  save() {
    const { cycles, APSR } = this.core;
    const { instructions, left_out, lowest } = this;
    const registers = this.core.registers.slice();
    return { cycles, APSR, instructions, left_out, lowest, registers };
  }

  restore({ cycles, APSR, instructions, left_out, lowest, registers }) {
    this.core.registers.set(registers);
    Object.assign(this.core, { cycles, APSR });
    Object.assign(this, { instructions, left_out, lowest });
  }

  read(address, count) {
    const { region, offset } = this.memory.at(address, count);
    return region.bytes.slice(offset, offset + count);
  }

  write(address, bytes) {
    const { region, offset } = this.memory.at(address, bytes.length);
    region.bytes.set(bytes, offset);
  }
}
