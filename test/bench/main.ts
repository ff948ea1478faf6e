import { readArguments } from "./arguments.ts";
import { openCluster } from "./cluster.ts";
import { interruption, undoAll, undoWhenInterrupted } from "./processes.ts";
import { type Benchmark, type Run, type Figure, printFigures, say } from "./report.ts";

/** Benchmarks are loaded when their turn comes: most need no admin server in their process. */
const benchmarks: Record<string, () => Promise<Benchmark>> = {
  ingest: async () => (await import("./benches/ingest.ts")).benchIngest,
  refusals: async () => (await import("./benches/refusals.ts")).benchRefusals,
  space: async () => (await import("./benches/ingest.ts")).benchSpace,
  encrypted: async () => (await import("./benches/ingest.ts")).benchEncrypted,
  metrics: async () => (await import("./benches/ingest.ts")).benchMetrics,
  features: async () => (await import("./benches/features.ts")).benchFeatures,
  gateways: async () => (await import("./benches/ingest.ts")).benchGateways,
  memory: async () => (await import("./benches/memory.ts")).benchMemory,
  stored: async () => (await import("./benches/ingest.ts")).benchStored,
  versions: async () => (await import("./benches/ingest.ts")).benchVersions,
};

const { names, ...sizes } = readOrExplain(process.argv.slice(2));
const figures: Figure[] = [];
undoWhenInterrupted();
say(`${sizes.rounds} rounds of ${sizes.seconds} s after ${sizes.warmUp} s of warm-up, medians; ratios are what counts on a shared machine`);
if (sizes.quick) say("quick: shows that everything works; the figures are no result");
{
  await using cluster = await openCluster();
  for (const name of names) await runOne(name, { ...sizes, cluster });
}
await undoAll();
printFigures(figures);

function readOrExplain(args: string[]): ReturnType<typeof readArguments> {
  const known = Object.keys(benchmarks);
  try {
    return readArguments(args, known);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    say("Usage: npm run bench [-- NAME …] [--rounds N] [--seconds N] [--warm-up N] [--quick] [--checkout FOLDER]");
    say(`Names: ${known.join(", ")}. Without one, all but versions run.`);
    process.exit(2);
  }
}

async function runOne(name: string, run: Run): Promise<void> {
  const started = performance.now();
  say(`\n── ${name}`);
  try {
    const benchmark = await benchmarks[name]?.();
    figures.push(...((await benchmark?.(run)) ?? []));
    say(`${name} took ${((performance.now() - started) / 1000).toFixed(0)} s`);
  } catch (error) {
    // A benchmark that ends under an interruption has no result; the run is about to end with it.
    if (interruption.aborted) await new Promise(() => undefined);
    process.exitCode = 1;
    say(`${name} FAILED: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}
