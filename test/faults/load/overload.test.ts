import { expect, it } from "vitest";
import { violations } from "../../support/faults/invariants.ts";
import { closedLoad } from "../../support/faults/load/closed-load.ts";
import { makeEventsCostly } from "../../support/faults/load/costly-events.ts";
import { startOpenLoad } from "../../support/faults/load/open-load.ts";
import { isAnswered, refusalProblems, toLedger } from "../../support/faults/load/witness.ts";
import { report } from "../../support/faults/report.ts";
import { scaled, scenarioRandom } from "../../support/faults/scale.ts";
import { openWorld } from "../../support/faults/world.ts";
import { anEvent, postEvent } from "../../support/gateway/post-event.ts";
import { spawnGateway } from "../../support/gateway/spawn-gateway.ts";
import { waitFor } from "../../support/wait-for.ts";

const clients = 100;
const events = scaled(600, 6000);
/** Statements that store events at once. */
const lanes = 2;
/** Of the capacity; other tests run beside the bounded one and take a part of it. */
const goodEnough = scaled(0.5, 0.8);

/** Milliseconds of the database an event costs, and how long one statement may take. */
const databases: [string, number, number][] = [
  ["slow", 25, 5000],
  ["so slow that a full batch would outlast its statement's time", 25, 1000],
];

it.each(databases)(
  "twice what a database that is %s can take: as much as ever is served in time, and the rest is asked to come back",
  async (name, costMs, statementMs) => {
    const random = scenarioRandom(3001);
    await using world = await openWorld(random);
    const shop = world.single;
    await makeEventsCostly(world.sql, costMs);
    await using gateway = await spawnGateway({
      databaseUrl: world.databaseUrl,
      platformApiUrl: world.platform.url,
      timeLimits: { statementMs, holdMs: 800 },
    });
    world.gateways.push(gateway.url);
    const before = await closedLoad(gateway.url, shop, { events: scaled(240, 1500), clients, name: "before" });

    const since = performance.now();
    const load = await startOpenLoad(gateway.url, {
      random,
      streams: [{ site: shop, perSecond: (2 * lanes * 1000) / costMs }],
      name: "overload",
      connections: 300,
    });
    await waitFor("the load", () => load.posted >= events, 600_000);
    await load.end();
    const asked = [...before.asked, ...load.asked];
    // From the first event to the last answer: what is still waiting when the load ends is not given away.
    const perSecond = (1000 * load.asked.filter(isAnswered).length) / (performance.now() - since);
    expect(await postEvent(gateway, shop, anEvent)).toMatchObject({ status: 200, json: { chat: "sent" } });

    const found = [
      ...(await refusalProblems(world.sql, asked)),
      ...asked.filter(({ ms }) => ms > 15_000).map(({ key, ms }) => `${key} was answered after ${ms} ms`),
      ...(await violations({ ...world, ledger: toLedger(asked), excuses: [] })),
    ];
    const share = perSecond / before.perSecond;
    report(`twice the capacity, a database that is ${name}`, {
      seed: random.seed,
      capacity: before.perSecond.toFixed(0),
      offered: load.asked.length,
      answered: load.asked.filter(isAnswered).length,
      refused: load.asked.filter((one) => !isAnswered(one)).length,
      slowest: `${Math.max(...asked.map(({ ms }) => ms)).toFixed(0)} ms`,
      goodput: share.toFixed(2),
      violations: found.length,
    });
    expect(found.slice(0, 20)).toEqual([]);
    expect(load.asked.every(isAnswered), "it was too much").toBe(false);
    expect(share).toBeGreaterThanOrEqual(goodEnough);
  },
  scaled(90_000, 900_000),
);
