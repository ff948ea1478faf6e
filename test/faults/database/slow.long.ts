import { expect, it } from "vitest";
import { startLoad } from "../../support/faults/event-load.ts";
import { startFaultProxy } from "../../support/faults/fault-proxy.ts";
import { violations } from "../../support/faults/invariants.ts";
import { report } from "../../support/faults/report.ts";
import { scenarioRandom } from "../../support/faults/scale.ts";
import { openWorld } from "../../support/faults/world.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";

const events = 300;

it("a database that takes a second for each statement is waited for", async () => {
  const random = scenarioRandom(1301);
  await using world = await openWorld(random);
  await using proxy = await startFaultProxy(world.databaseUrl);
  await using gateway = await openGateway(proxy.url, world.platform.url);
  world.gateways.push(gateway.url);
  proxy.setWeather({ kind: "delay", ms: () => 500 });
  const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: 32 });
  await done;
  const { requests, refused } = ledger;
  proxy.heal();
  const found = await violations({ ...world, ledger, excuses: [] });
  report("one second a statement", { seed: random.seed, events, requests, refused, violations: found.length });
  expect(found).toEqual([]);
}, 300_000);
