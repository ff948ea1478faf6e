import fc from "fast-check";
import { expect, it, describe } from "vitest";
import { adminCall } from "../../support/arbitrary/admin-call.ts";
import { callbackCase } from "../../support/arbitrary/callback.ts";
import { httpBytes, ingestTarget, plainHeaders, serviceHeaders } from "../../support/arbitrary/ingest.ts";
import { jsonBytes, ordinaryBytes } from "../../support/arbitrary/json.ts";
import { shared } from "../../support/shared.ts";
import { historyViolations, recordHistory } from "../harness/ledger.ts";
import { isLong, scaled, scenarioRandom } from "../harness/scale.ts";
import { openAdminWorld, createAdminFuzz } from "./admin.ts";
import { createBytesFuzz } from "./bytes.ts";
import { createCallbackFuzz } from "./callbacks.ts";
import { type EventCase, createEventFuzz } from "./events.ts";
import { runFuzz } from "./run-fuzz.ts";
import { standing, openFuzzWorld, stillWell, signers } from "./world.ts";

describe("admin", () => {
  it.runIf(isLong)(
    "whatever any procedure is asked with, the admin API answers as documented, shows nothing of others and stays up",
    async () => {
      await using world = await openAdminWorld();
      const { seed } = scenarioRandom(9301);
      const before = await world.theirs.client.sites.list.query({});
      const run = createAdminFuzz(world);
      const growth = await runFuzz({
        target: "tRPC",
        seed,
        cases: 13_000,
        atOnce: 25,
        arbitrary: adminCall,
        run,
        server: world.server,
      });
      expect(await world.theirs.client.sites.list.query({})).toEqual(before);
      expect(standing(world.server, growth)).toEqual([]);
    },
    3_600_000,
  );
});

describe("bytes", () => {
  /** The limits are short if a client keeps the gateway waiting, so that a request that never ends costs the fuzzer little. */
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
        cases: scaled(75, 27_000),
        atOnce,
        arbitrary: httpBytes,
        run,
        server: world.gateway,
      });
      expect(await stillWell(world, growth)).toEqual([]);
    },
    scaled(120_000, 3_600_000),
  );
});

describe("callbacks", () => {
  it(
    "callbacks of every kind are answered as documented, count when they are signed by their account, and never move a status down",
    async () => {
      await using world = await openFuzzWorld();
      await recordHistory(world.database.owner);
      const { seed } = scenarioRandom(9201);
      const run = createCallbackFuzz(world);
      const growth = await runFuzz({
        target: "callbacks",
        seed,
        cases: scaled(30, 6_000),
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
});

describe("events", () => {
  const world = shared(openFuzzWorld);

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
  const mixed: typeof targets = [["requests", 100, fc.oneof(...targets.map(([, , arbitrary]) => arbitrary))]];

  it.each(isLong ? targets : mixed)(
    "odd %s get the documented answer, are stored once if they are taken, and send nothing that no event explains",
    async (target, cases, arbitrary) => {
      const { seed } = scenarioRandom(9001);
      const run = createEventFuzz(world);
      const growth = await runFuzz({ target, seed, cases, atOnce: 64, arbitrary, run, server: world.gateway });
      expect(await stillWell(world, growth)).toEqual([]);
    },
    scaled(120_000, 3_600_000),
  );
});
