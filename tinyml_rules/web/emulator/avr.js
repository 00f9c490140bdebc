// An AVR with nothing around it, by avr8js: steps, counts, and looks at memory.
import { avrInstruction, CPU } from "avr8js";

const DATA_SPACE = 0x800000; // the linker adds this to data addresses
const REGISTERS = 0x60; // and those of the processor among the I/O
const BELOW_RAM = 0x100; // what avr8js adds to the bytes of RAM

/** `part`: {flash, ram}, each {origin, bytes}; `code`: the contents of flash from its beginning on. */
export class Machine {
  constructor(part, code) {
    const words = new Uint16Array(part.flash.bytes / 2);
    new Uint8Array(words.buffer).set(code);
    const end = part.ram.origin - DATA_SPACE + part.ram.bytes;
    this.cpu = new CPU(words, end - BELOW_RAM);
    this.addressBytes = this.cpu.pc22Bits ? 3 : 2;
    this.instructions = 0;
    this.lowest = end; // that the stack pointer was, since somebody set it
    this.isHalfSet = false; // the stack pointer: its high byte is written before the low one
    this.cpu.writeHooks[0x5e] = () => void (this.isHalfSet = true);
    this.cpu.writeHooks[0x5d] = () => void (this.isHalfSet = false);
  }

  /** Up to `steps` instructions; true where the processor came to an address, with that stack. */
  runTo(address, stack, steps) {
    const { cpu } = this;
    const word = address / 2;
    for (let left = steps; left > 0; left--) {
      if (cpu.pc >= cpu.progMem.length) throw new Error("the program left the flash");
      avrInstruction(cpu);
      this.instructions++;
      if (this.isHalfSet) continue;
      const now = cpu.SP;
      if (now < this.lowest) this.lowest = now;
      if (cpu.pc === word && (stack === undefined || now === stack)) return true;
    }
    return false;
  }

  get pc() {
    return 2 * this.cpu.pc;
  }

  get cycles() {
    return this.cpu.cycles;
  }

  get stack() {
    return this.cpu.SP;
  }

  /** Of a function whose first instruction is the next: where it goes back to, and the stack then. */
  caller() {
    let word = 0;
    for (let i = 1; i <= this.addressBytes; i++) word = (word << 8) | this.cpu.data[this.stack + i];
    return { address: 2 * word, stack: this.stack + this.addressBytes };
  }

  /** Begin a function that returns to where the processor is now. */
  enter(address) {
    let word = this.cpu.pc;
    for (let i = 0; i < this.addressBytes; i++) {
      this.cpu.data[this.stack] = word & 255;
      this.cpu.SP = this.stack - 1;
      word >>= 8;
    }
    this.cpu.pc = address / 2;
  }

  /** A pointer that a function is given. */
  argument(number) {
    const low = 24 - 2 * number;
    return this.cpu.data[low] | (this.cpu.data[low + 1] << 8);
  }

  /** A pointer that it gives. */
  result() {
    return this.argument(0);
  }

  save() {
    const { pc, cycles } = this.cpu;
    const { instructions, lowest } = this;
    return { pc, cycles, instructions, lowest, registers: this.cpu.data.slice(0, REGISTERS) };
  }

  restore({ pc, cycles, instructions, lowest, registers }) {
    this.cpu.data.set(registers);
    Object.assign(this.cpu, { pc, cycles });
    Object.assign(this, { instructions, lowest });
  }

  read(address, count) {
    return this.cpu.data.slice(address, address + count);
  }

  write(address, bytes) {
    this.cpu.data.set(bytes, address);
  }
}
