import { connect } from "shared/db/connect";
import { migrate } from "shared/db/migrate";
import { startPostgres } from "shared/postgres/start";
import { expect, it } from "vitest";
import { startLoad } from "../../support/faults/event-load.ts";
import { recoveryMs, violations } from "../../support/faults/invariants.ts";
import { report } from "../../support/faults/report.ts";
import { scenarioRandom } from "../../support/faults/scale.ts";
import { mayMount, mountSmallDisk } from "../../support/faults/small-disk.ts";
import { openWorld } from "../../support/faults/world.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";
import { waitFor } from "../../support/wait-for.ts";

const events = 600;

it.skipIf(!mayMount())(
  "a database whose disk is full goes on when there is room again (needs root and tmpfs)",
  async () => {
    const random = scenarioRandom(1501);
    using disk = mountSmallDisk(400);
    await using postgres = await startPostgres({ dataDir: `${disk.path}/data`, durable: true });
    const sql = connect(postgres.url, { max: 3 });
    await migrate(sql);
    await using world = await openWorld(random, { url: postgres.url, sql, [Symbol.asyncDispose]: async () => sql.end({ timeout: 1 }) });
    await using gateway = await openGateway(postgres.url, world.platform.url, { inDoubtSeconds: 10 });
    world.gateways.push(gateway.url);
    const { ledger, done } = startLoad({
      random,
      shops: world.shops,
      gateways: () => world.gateways,
      events,
      clients: 16,
      ballast: 20_000,
    });
    for (let round = 1; round <= 2; round += 1) {
      await waitFor("the next filling", () => ledger.answered >= (round * events) / 4, 120_000);
      const { refused } = ledger;
      disk.fill();
      await waitFor("it to be felt", () => ledger.refused >= refused + 10, recoveryMs);
      disk.empty();
    }
    await done;
    const found = await violations({ ...world, ledger, excuses: ["deadline"] });
    report("disk full", {
      seed: random.seed,
      events,
      rounds: 2,
      requests: ledger.requests,
      refused: ledger.refused,
      violations: found.length,
    });
    expect(found).toEqual([]);
  },
  300_000,
);
