import { expect, it } from "vitest";
import { startLoad } from "../../support/faults/event-load.ts";
import { violations } from "../../support/faults/invariants.ts";
import { startMain, urlOf } from "../../support/faults/main-process.ts";
import { report } from "../../support/faults/report.ts";
import { scenarioRandom } from "../../support/faults/scale.ts";
import { openWorld } from "../../support/faults/world.ts";

const events = 600;
const megabytes = 96;

it(`a gateway with ${megabytes} MB of heap takes 32 large events at a time and stays up`, async () => {
  const random = scenarioRandom(1101);
  await using world = await openWorld(random);
  await using gateway = startMain({ ...world, nodeOptions: [`--max-old-space-size=${megabytes}`] });
  world.gateways.push(await urlOf(gateway));
  const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: 32, ballast: 300_000 });
  await Promise.race([done, gateway.ended]);
  expect(gateway.stderr()).toBe("");
  expect(gateway.isRunning()).toBe(true);
  const found = await violations({ ...world, ledger, excuses: [] });
  report("little memory", {
    seed: random.seed,
    events,
    megabytes,
    requests: ledger.requests,
    refused: ledger.refused,
    violations: found.length,
  });
  expect(found).toEqual([]);
}, 300_000);
