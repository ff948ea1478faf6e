import fc from "fast-check";
import { report } from "../report.ts";
import { scaled } from "../scale.ts";

export interface FuzzOptions<Case> {
  target: string;
  seed: number;
  /** At least so many are run. */
  cases: number;
  /** So many at a time, at most: they share the server's statements and event loop, as requests do. */
  atOnce: number;
  arbitrary: fc.Arbitrary<Case>;
  /** Runs the cases side by side and answers every breach of an invariant. */
  run: (group: readonly Case[]) => Promise<string[]>;
}

/** Groups in a round, after which the long run prints where it is. */
const groupsInRound = 5;

/** Runs generated cases until there have been enough, and fails with the smallest group of cases found that breaks an invariant. */
export async function runFuzz<Case>(options: FuzzOptions<Case>): Promise<void> {
  const { target, seed, cases, atOnce, arbitrary, run } = options;
  const counts = { cases: 0 };
  const first: string[] = [];
  const started = performance.now();
  const property = fc.asyncProperty(fc.array(arbitrary, { minLength: 1, maxLength: atOnce, size: "max" }), async (group) => {
    counts.cases += group.length;
    const found = await run(group);
    if (found.length === 0) return;
    if (first.length === 0) first.push(...found.slice(0, 5));
    throw new Error(found.slice(0, 5).join("\n"));
  });
  for (let round = 0; counts.cases < cases; round += 1) {
    // A later round's seed is derived from the first, so that the first repeats them all.
    const details = await fc.check(property, {
      seed: seed + round,
      numRuns: scaled(1, groupsInRound),
      interruptAfterTimeLimit: scaled(20_000, 60_000),
    });
    if (details.failed) throw new Error(explain(target, seed, details, first));
    if (round % 30 === 29) report(`fuzzing ${target}`, { seed, cases: counts.cases, seconds: secondsSince(started) });
  }
  report(`fuzzed ${target}`, { seed, cases: counts.cases, seconds: secondsSince(started), violations: 0 });
}

const secondsSince = (started: number): number => Math.round((performance.now() - started) / 1000);

const mostShown = 3_000;

function explain<Case>(target: string, seed: number, details: fc.RunDetails<[Case[]]>, first: string[]): string {
  const error = details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance);
  return `${target}, FAULTS_SEED=${seed}, round seed ${details.seed}, path ${details.counterexamplePath}
first: ${first.join("\n")}
smallest: ${error}
with ${show(details.counterexample?.[0])}`;
}

/** What nests deeper than the stack goes cannot be shown. */
function show(value: unknown): string {
  try {
    return fc.stringify(value).slice(0, mostShown);
  } catch (error) {
    return String(error);
  }
}
