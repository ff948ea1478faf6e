import { expect, it } from "vitest";
import { callbackCase } from "../../support/arbitrary/callback.ts";
import { createCallbackFuzz } from "../../support/faults/fuzz/callback/fuzz-callbacks.ts";
import { runFuzz } from "../../support/faults/fuzz/run-fuzz.ts";
import { openFuzzWorld } from "../../support/faults/fuzz/world/fuzz-world.ts";
import { stillWell } from "../../support/faults/fuzz/world/still-well.ts";
import { historyViolations, recordHistory } from "../../support/faults/history.ts";
import { scaled, scenarioRandom } from "../../support/faults/scale.ts";

it(
  "callbacks of every kind are answered as documented, count when they are signed by their account, and never move a status down",
  async () => {
    await using world = await openFuzzWorld();
    await recordHistory(world.database.sql);
    const { seed } = scenarioRandom(9201);
    const run = createCallbackFuzz(world);
    const growth = await runFuzz({
      target: "callbacks",
      seed,
      cases: scaled(100, 6_000),
      atOnce: 30,
      arbitrary: callbackCase,
      run,
      server: world.gateway,
    });
    expect(await historyViolations(world.database.sql)).toEqual([]);
    expect(await stillWell(world, growth)).toEqual([]);
  },
  scaled(120_000, 3_600_000),
);
