import { expect, it } from "vitest";
import { startLoad } from "../../support/faults/event-load.ts";
import { violations } from "../../support/faults/invariants.ts";
import { startMain, urlOf } from "../../support/faults/main-process.ts";
import { report } from "../../support/faults/report.ts";
import { scenarioRandom } from "../../support/faults/scale.ts";
import { openWorld } from "../../support/faults/world.ts";
import { rawSocket } from "../../support/gateway/raw-socket.ts";

it("2,000 open connections leave the service as it is, and 1,000 requests at once are served, not refused", async () => {
  const random = scenarioRandom(1201);
  await using world = await openWorld(random);
  await using gateway = startMain(world);
  world.gateways.push(await urlOf(gateway));
  const port = Number(new URL(world.gateways[0] ?? "").port);
  const idle = await Promise.all(Array.from({ length: 2000 }, async () => rawSocket(port)));
  const events = 2000;
  const { ledger, done } = startLoad({ random, shops: world.shops.slice(1), gateways: () => world.gateways, events, clients: 1000 });
  await done;
  const { requests, refused } = ledger;
  expect(refused).toBe(0);
  const found = await violations({ ...world, ledger, excuses: [] });
  report("open connections", { seed: random.seed, idle: idle.length, atOnce: 1000, events, requests, refused, violations: found.length });
  for (const { socket } of idle) socket.destroy();
  expect(found).toEqual([]);
}, 300_000);
