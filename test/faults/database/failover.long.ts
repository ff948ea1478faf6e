import { connect } from "shared/db/connect";
import { migrate } from "shared/db/migrate";
import { expect, it } from "vitest";
import { startLoad } from "../../support/faults/event-load.ts";
import { canReplicate, startReplicatedPostgres } from "../../support/faults/failover/replicated-postgres.ts";
import { startFaultProxy } from "../../support/faults/fault-proxy.ts";
import { recoveryMs, violations } from "../../support/faults/invariants.ts";
import { report } from "../../support/faults/report.ts";
import { scenarioRandom } from "../../support/faults/scale.ts";
import { openWorld } from "../../support/faults/world.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";
import { waitFor } from "../../support/wait-for.ts";

const events = 1500;

it.skipIf(!(await canReplicate()))(
  "a primary that is lost under load is replaced by its standby, and nothing that was answered is lost with it (needs streaming replication)",
  async () => {
    const random = scenarioRandom(1601);
    await using postgres = await startReplicatedPostgres();
    await using endpoint = await startFaultProxy(postgres.primaryUrl);
    const sql = connect(endpoint.url, { max: 3 });
    await migrate(sql);
    await using world = await openWorld(random, { url: endpoint.url, sql, [Symbol.asyncDispose]: async () => sql.end({ timeout: 1 }) });
    const changes = { inDoubtSeconds: 10 };
    await using one = await openGateway(endpoint.url, world.platform.url, changes);
    await using other = await openGateway(endpoint.url, world.platform.url, changes);
    world.gateways.push(one.url, other.url);
    const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: 24 });
    await waitFor("the load", () => ledger.answered >= events / 3, 120_000);

    endpoint.refuse();
    await postgres.losePrimary();
    endpoint.cut();
    const { refused } = ledger;
    await waitFor("the loss to be felt", () => ledger.refused >= refused + 10, recoveryMs);
    await postgres.promoteStandby();
    endpoint.redirect(postgres.standbyUrl);
    const { answered } = ledger;
    const since = performance.now();
    endpoint.heal();
    await waitFor("the standby to serve", () => ledger.answered > answered, recoveryMs);
    const recovered = performance.now() - since;
    await done;

    const found = await violations({ ...world, ledger, excuses: ["deadline"] });
    report("failing over to a standby", {
      seed: random.seed,
      events,
      requests: ledger.requests,
      refused: ledger.refused,
      recovery: `${recovered.toFixed(0)} ms`,
      violations: found.length,
    });
    expect(found).toEqual([]);
  },
  300_000,
);
