import { parseArgs } from "node:util";

export interface BenchArguments {
  /** The benchmarks to run, in this order. */
  names: string[];
  rounds: number;
  seconds: number;
  warmUp: number;
  quick: boolean;
  /** The folder of another built checkout to compare with. */
  checkout: string | null;
}

const usual = { rounds: 3, seconds: 5, warmUp: 10 };
const quickly = { rounds: 1, seconds: 1, warmUp: 0.5 };

/** The benchmarks and sizes that the command line asks for; when it names none, all but `versions`, which needs a checkout. Throws a line that describes the problem. */
export function readArguments(args: string[], known: string[]): BenchArguments {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      checkout: { type: "string" },
      quick: { type: "boolean" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      "warm-up": { type: "string" },
    },
  });
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`There is no benchmark ${unknown}.`);
  const quick = values.quick === true;
  const sizes = quick ? quickly : usual;
  return {
    names: positionals.length > 0 ? positionals : known.filter((name) => name !== "versions"),
    checkout: values.checkout ?? null,
    rounds: positive("--rounds", values.rounds, sizes.rounds),
    seconds: positive("--seconds", values.seconds, sizes.seconds),
    warmUp: positive("--warm-up", values["warm-up"], sizes.warmUp),
    quick,
  };
}

function positive(name: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (!(value > 0)) throw new Error(`${name} must be a number greater than 0.`);
  return value;
}
