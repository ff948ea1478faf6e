import { createRandom, type Random } from "./random.ts";

/** Whether this is the long run, `npm run faults`. */
const isLong = process.env["FAULTS"] === "long";

/** How much of something: a little in `npm test`, more in the long run. */
export const scaled = (bounded: number, long: number): number => (isLong ? long : bounded);

/**
 * The scenario's own chance. The bounded run always takes the same seed; the long one a new one, unless `FAULTS_SEED` names it. The report holds it.
 */
export function scenarioRandom(bounded: number): Random {
  const named = Number.parseInt(process.env["FAULTS_SEED"] ?? "", 10);
  if (!Number.isNaN(named)) return createRandom(named);
  return createRandom(isLong ? Math.floor(Math.random() * 2 ** 31) : bounded);
}
