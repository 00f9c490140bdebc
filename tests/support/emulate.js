// Runs a test image in avr8js or in the core of rp2040js, as the runners do on simavr and QEMU.  On
// standard input a job of JSON, on standard output what became of it.
import { readFileSync } from "node:fs";
import { Machine } from "machine";

const STEPS = 100_000; // between two looks at the limit
const OPEN = 0x01; // calls of semihosting
const WRITE0 = 0x04;
const WRITE = 0x05;
const READ = 0x06;
const EXIT_EXTENDED = 0x20;

const job = JSON.parse(readFileSync(0, "utf8"));
const machine = new Machine(job.part, Buffer.from(job.code, "base64"), job.vectors);
const input = Buffer.from(job.input, "base64");
const output = [];
let used = 0;

class Ended extends Error {
  constructor(status) {
    super(`ended with ${status}`);
    this.status = status;
  }
}

/** targets/avr/port.c */
function connectRegisters({ cpu }) {
  cpu.readHooks[0x3e] = () => input[used++];
  cpu.readHooks[0x4a] = () => Number(used < input.length);
  cpu.writeHooks[0x3e] = (value) => {
    output.push(value);
    return true;
  };
  cpu.writeHooks[0x4b] = (status) => {
    throw new Ended(status);
  };
}

/** targets/cortex_m/port.c */
function connectSemihosting({ core, memory }) {
  const files = ["", "input.bin", "output.bin", "stack.bin"];
  const text = (address, size) => Buffer.from(machine.read(address, size)).toString("latin1");
  const calls = {
    [OPEN]: (at) => files.indexOf(text(at(0), at(2))),
    [READ](at) {
      const some = input.subarray(used, used + at(2));
      machine.write(at(1), some);
      used += some.length;
      return at(2) - some.length;
    },
    [WRITE](at) {
      if (files[at(0)] === "output.bin") output.push(...machine.read(at(1), at(2)));
      return 0;
    },
    [WRITE0]: () => 0,
    [EXIT_EXTENDED](at) {
      throw new Ended(at(1));
    },
  };
  memory.onBreak = () => {
    const [operation, list] = core.registers;
    core.registers[0] = calls[operation]((index) => memory.readUint32(list + 4 * index));
  };
}

function runTo(address) {
  const { cycles } = machine;
  while (!machine.runTo(address, undefined, STEPS)) {
    if (machine.cycles - cycles > job.limit) throw new Error(`no 0x${address.toString(16)} in time`);
  }
}

const inferences = [];
let status;
try {
  (machine.cpu ? connectRegisters : connectSemihosting)(machine);
  for (;;) {
    runTo(job.invoke);
    const { cycles, instructions } = machine;
    const { stack } = machine.caller();
    machine.lowest = machine.stack;
    runTo(job.mark);
    inferences.push([machine.cycles - cycles, machine.instructions - instructions, stack - machine.lowest]);
  }
} catch (error) {
  if (!(error instanceof Ended)) throw error;
  ({ status } = error);
}
const result = { status, output: Buffer.from(output).toString("base64"), inferences };
process.stdout.write(JSON.stringify(result));
