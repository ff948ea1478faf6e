import fc from "fast-check";
import { report, scaled } from "../harness/scale.ts";
import type { ServedApart } from "./world.ts";

export interface FuzzOptions<Case> {
  target: string;
  seed: number;
  /** The least number of cases. */
  cases: number;
  /** The most cases at a time: they share the server's statements and event loop, as requests do. */
  atOnce: number;
  arbitrary: fc.Arbitrary<Case>;
  /** Runs the cases side by side and answers every breach of an invariant. */
  run: (group: readonly Case[]) => Promise<string[]>;
  /** The tested server. */
  server: ServedApart;
}

/** The groups in a round; between two rounds the long run prints its progress. */
const groupsInRound = 5;

/**
 * Runs generated cases until there have been enough, and fails with the smallest group of cases found that breaks an invariant. Answers by how many bytes
 * the server's memory has grown since a tenth of the cases.
 */
export async function runFuzz<Case>(options: FuzzOptions<Case>): Promise<number> {
  const { target, seed, cases, server } = options;
  const counts = { cases: 0 };
  const started = performance.now();
  const tell = (more: Record<string, string | number>): void =>
    report(`fuzzing ${target}`, { seed, cases: counts.cases, seconds: Math.round((performance.now() - started) / 1000), ...more });
  let baseline: number | null = null;
  for (let round = 0; counts.cases < cases; round += 1) {
    const { property, first } = toProperty(options, counts);
    // A later round's seed follows from the first, so that the first one repeats them all.
    const details = await fc.check(property, { seed: seed + round, numRuns: scaled(1, groupsInRound) });
    if (details.failed) throw new Error(explain(target, seed, details, first));
    if (counts.cases >= cases / 10) baseline ??= await server.heap();
    if (round % 30 === 29) tell({});
  }
  const growth = (await server.heap()) - (baseline ?? 0);
  tell({ growth: `${(growth / 1024 / 1024).toFixed(1)} MB`, violations: 0 });
  return growth;
}

/** A smaller group is searched only for this long; then the best one so far is reported. */
const shrinkMs = 30_000;

function toProperty<Case>({ arbitrary, atOnce, run }: FuzzOptions<Case>, counts: { cases: number }) {
  const first: string[] = [];
  let giveUpAt = Infinity;
  const property = fc.asyncProperty(fc.array(arbitrary, { minLength: 1, maxLength: atOnce, size: "max" }), async (group) => {
    if (performance.now() > giveUpAt) return;
    counts.cases += group.length;
    const found = (await run(group)).slice(0, 5);
    if (found.length === 0) return;
    if (first.length === 0) first.push(...found);
    giveUpAt = Math.min(giveUpAt, performance.now() + shrinkMs);
    throw new Error(found.join("\n"));
  });
  return { property, first };
}

const mostShown = 3_000;

function explain<Case>(target: string, seed: number, details: fc.RunDetails<[Case[]]>, first: string[]): string {
  const error = details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance);
  return `${target}, FAULTS_SEED=${seed}, round seed ${details.seed}, path ${details.counterexamplePath}
first: ${first.join("\n")}
smallest: ${error}
with ${show(details.counterexample?.[0])}`;
}

/** The value as a text. One that is nested deeper than the stack cannot be shown. */
function show(value: unknown): string {
  try {
    return fc.stringify(value).slice(0, mostShown);
  } catch (error) {
    return String(error);
  }
}
