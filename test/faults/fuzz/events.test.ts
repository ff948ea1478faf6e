import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ingestTarget } from "../../support/arbitrary/ingest-path.ts";
import { jsonBytes, ordinaryBytes } from "../../support/arbitrary/json-text.ts";
import { plainHeaders, serviceHeaders } from "../../support/arbitrary/service-headers.ts";
import type { EventCase } from "../../support/faults/fuzz/event/event-case.ts";
import { createEventFuzz } from "../../support/faults/fuzz/event/fuzz-events.ts";
import { runFuzz } from "../../support/faults/fuzz/run-fuzz.ts";
import { type FuzzWorld, openFuzzWorld, signers } from "../../support/faults/fuzz/world/fuzz-world.ts";
import { stillWell } from "../../support/faults/fuzz/world/still-well.ts";
import { scaled, scenarioRandom } from "../../support/faults/scale.ts";

let world: FuzzWorld;
beforeAll(async () => {
  world = await openFuzzWorld();
});
afterAll(async () => world?.[Symbol.asyncDispose]());

const ordinary: fc.Arbitrary<EventCase> = fc.record({
  method: fc.constant("POST"),
  target: fc.constant("/api/public/ingest/generic/order.created"),
  signer: fc.constantFrom("plain", "other"),
  headers: fc.constant(plainHeaders),
  body: ordinaryBytes,
  chunked: fc.boolean(),
  twice: fc.constant(false),
});
const methods = fc.oneof(
  { weight: 9, arbitrary: fc.constant("POST") },
  { weight: 1, arbitrary: fc.constantFrom("GET", "PUT", "DELETE", "OPTIONS", "PROPFIND") },
);
const vary = (changes: Partial<{ [K in keyof EventCase]: fc.Arbitrary<EventCase[K]> }>): fc.Arbitrary<EventCase> =>
  fc.tuple(ordinary, fc.record(changes)).map(([usual, odd]) => ({ ...usual, ...odd }) as EventCase);

const targets: [string, number, fc.Arbitrary<EventCase>][] = [
  ["paths", 27_000, vary({ target: ingestTarget, method: methods })],
  ["headers", 27_000, vary({ headers: serviceHeaders, signer: fc.constantFrom(...signers), twice: fc.boolean() })],
  ["bodies", 15_000, vary({ body: jsonBytes })],
];

it.each(targets)(
  "odd %s get the documented answer, are stored once if they are taken, and send nothing that no event explains",
  async (target, cases, arbitrary) => {
    const { seed } = scenarioRandom(9001);
    const run = createEventFuzz(world);
    const growth = await runFuzz({ target, seed, cases: scaled(200, cases), atOnce: 64, arbitrary, run, server: world.gateway });
    expect(await stillWell(world, growth)).toEqual([]);
  },
  scaled(120_000, 3_600_000),
);
