import { benchIngest } from "./ingest.ts";
import { say } from "./print.ts";

/** `npm run bench [-- NAME …] [--rounds N] [--seconds N]` */
const benches: Record<string, (options: { rounds: number; seconds: number }) => Promise<void>> = { ingest: benchIngest };

const args = process.argv.slice(2);
const option = (name: string, fallback: number): number => {
  const at = args.indexOf(name);
  return at < 0 ? fallback : Number(args.splice(at, 2)[1]);
};
const options = { rounds: option("--rounds", 3), seconds: option("--seconds", 5) };
const names = args.length > 0 ? args : Object.keys(benches);
for (const name of names) {
  const bench = benches[name];
  if (!bench) throw new Error(`There is no benchmark ${name}; there are ${Object.keys(benches).join(", ")}.`);
  say(`${name}: ${options.rounds} rounds of ${options.seconds} s, medians; ratios are what counts on a shared machine`);
  await bench(options);
}
