import { Session } from "node:inspector/promises";
import { afterAll } from "vitest";

// From here on, functions are compiled so that their blocks are counted: import this module before those that are counted.
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
// Counting slows every other test of the worker.
afterAll(async () => session.post("Profiler.stopPreciseCoverage"));

/**
 * How many times the blocks and functions of our own modules run while `run` does: unlike time, the same on every machine. Built-in functions count by their
 * calls.
 */
export async function countSteps(run: () => unknown): Promise<number> {
  await session.post("Profiler.takePreciseCoverage");
  await run();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const ranges = result.filter(({ url }) => !url.startsWith("node:")).flatMap(({ functions }) => functions.flatMap((one) => one.ranges));
  return ranges.reduce((sum, { count }) => sum + count, 0);
}
