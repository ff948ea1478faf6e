import { expect, it } from "vitest";
import { violations } from "../../support/faults/invariants.ts";
import { createAsker } from "../../support/faults/load/asker.ts";
import { isAnswered, toLedger } from "../../support/faults/load/witness.ts";
import { report } from "../../support/faults/report.ts";
import { scenarioRandom } from "../../support/faults/scale.ts";
import { openWorld } from "../../support/faults/world.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";

const connections = 1000;

it("1,000 connections at once are served, none refused", async () => {
  const random = scenarioRandom(3101);
  await using world = await openWorld(random);
  await using gateway = await openGateway(world.databaseUrl, world.platform.url);
  world.gateways.push(gateway.url);
  const shop = world.single;
  using asker = createAsker(gateway.url, "at-once");
  const asked = await Promise.all(Array.from({ length: connections }, async () => asker.ask(shop)));
  expect(asked.filter((one) => !isAnswered(one))).toEqual([]);
  const found = await violations({ ...world, ledger: toLedger(asked), excuses: [] });
  report("connections at once", { connections, answered: asked.length, violations: found.length });
  expect(found).toEqual([]);
});
