import { expect, it } from "vitest";
import { httpBytes } from "../../support/arbitrary/http-bytes.ts";
import { createBytesFuzz } from "../../support/faults/fuzz/bytes/fuzz-bytes.ts";
import { runFuzz } from "../../support/faults/fuzz/run-fuzz.ts";
import { openFuzzWorld } from "../../support/faults/fuzz/world/fuzz-world.ts";
import { stillWell } from "../../support/faults/fuzz/world/still-well.ts";
import { scaled, scenarioRandom } from "../../support/faults/scale.ts";

/** Short where a client keeps the gateway waiting, so that one that never ends costs the fuzzer little. */
const limits = { headersMs: 5_000, bodyIdleMs: 2_000, discardIdleMs: 300, keepAliveMs: 2_000 };

it(
  "bytes that are almost HTTP, or were, are answered as documented or not at all, and only what was signed is done, once, for whoever signed it",
  async () => {
    await using world = await openFuzzWorld(limits);
    const { seed } = scenarioRandom(9101);
    const run = createBytesFuzz(world);
    const atOnce = scaled(100, 200);
    const growth = await runFuzz({
      target: "bytes",
      seed,
      cases: scaled(250, 27_000),
      atOnce,
      arbitrary: httpBytes,
      run,
      server: world.gateway,
    });
    expect(await stillWell(world, growth)).toEqual([]);
  },
  scaled(120_000, 3_600_000),
);
