import { fileURLToPath } from "node:url";
import { uuidTime } from "shared/core/uuid";
import { expect, it } from "vitest";
import { startLoad } from "../../support/faults/event-load.ts";
import { violations } from "../../support/faults/invariants.ts";
import { startMain, urlOf } from "../../support/faults/main-process.ts";
import { report } from "../../support/faults/report.ts";
import { scenarioRandom } from "../../support/faults/scale.ts";
import { openWorld } from "../../support/faults/world.ts";
import { waitFor } from "../../support/wait-for.ts";

const events = 1500;
const preload = fileURLToPath(new URL("../../support/faults/jumping-clock.ts", import.meta.url));

it("a clock that jumps an hour ahead, an hour behind and back again on one of two gateways loses and repeats nothing", async () => {
  const random = scenarioRandom(1001);
  await using world = await openWorld(random);
  await using jumping = startMain({ ...world, preload });
  await using steady = startMain(world);
  world.gateways.push(await urlOf(jumping), await urlOf(steady));
  // The clients' clock is right, so a timestamp would rightly be refused by a gateway whose clock is not.
  const { ledger, done } = startLoad({
    random,
    shops: world.shops,
    gateways: () => world.gateways,
    events,
    clients: 16,
    timestamps: false,
  });
  for (let jump = 1; jump <= 3; jump += 1) {
    await waitFor("the next jump", () => ledger.answered >= (jump * events) / 4, 120_000);
    process.kill(jumping.pid, "SIGUSR2");
  }
  await done;
  const ids = await world.sql<{ id: string }[]>`select id from event order by id`;
  const span = uuidTime(ids.at(-1)?.id ?? "") - uuidTime(ids[0]?.id ?? "");
  expect(span, "the clock that jumped shows in the ids").toBeGreaterThan(3_500_000);
  const found = await violations({ ...world, ledger, excuses: [] });
  report("clock jumps of an hour", {
    seed: random.seed,
    events,
    jumps: 3,
    requests: ledger.requests,
    refused: ledger.refused,
    violations: found.length,
  });
  expect(found).toEqual([]);
}, 300_000);
