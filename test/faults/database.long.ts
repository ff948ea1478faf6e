import { everydayRole } from "shared/postgres/start";
import { expect, it, describe } from "vitest";
import { migrated, type Owner } from "../support/database.ts";
import { openGateway, openShop } from "../support/gateway.ts";
import { anEvent, postEvent } from "../support/requests.ts";
import { waitFor } from "../support/wait-for.ts";
import { canReplicate, startReplicatedPostgres } from "./harness/failover.ts";
import { recoveryMs, untilSound } from "./harness/invariants.ts";
import { startFaultProxy } from "./harness/link.ts";
import { startLoad } from "./harness/load.ts";
import { scenarioRandom } from "./harness/scale.ts";
import { addEndpoints, openWorld } from "./harness/world.ts";

const isReplicable = await canReplicate();

describe("failover", () => {
  const events = 1500;

  it.skipIf(!isReplicable)(
    "a primary that is lost under load is replaced by its standby, and nothing that was answered is lost with it (needs streaming replication)",
    async () => {
      const random = scenarioRandom(1601);
      await using postgres = await startReplicatedPostgres();
      await using endpoint = await startFaultProxy(postgres.primaryUrl);
      const database = await migrated({ url: endpoint.url, everydayUrl: postgres.everydayUrl(endpoint.url) });
      await using world = await openWorld(random, database);
      const changes = { inDoubtSeconds: 10 };
      await using one = await openGateway(database.url, world.platform.url, changes);
      await using other = await openGateway(database.url, world.platform.url, changes);
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

      await untilSound("failing over to a standby", {
        ...world,
        ledger,
        random,
        excuses: ["deadline"],
        ...changes,
        counts: { events, recovery: `${recovered.toFixed(0)} ms` },
      });
    },
    300_000,
  );
});

describe("refusing", () => {
  const events = 600;
  const role = `limited_${process.pid}`;

  /** Ends the gateway's open connections, as a failover does. */
  const disconnect = async (owner: Owner): Promise<unknown> =>
    owner`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'tidings-gateway'`;

  interface Refusal {
    begin: (owner: Owner, database: string) => Promise<unknown>;
    end: (owner: Owner, database: string) => Promise<unknown>;
  }

  const refusals: [string, Refusal][] = [
    [
      "gives no connection",
      {
        begin: async (owner) => owner.unsafe(`alter role ${role} connection limit 0`).then(async () => disconnect(owner)),
        end: async (owner) => owner.unsafe(`alter role ${role} connection limit -1`),
      },
    ],
    [
      "gives three connections of ten",
      {
        begin: async (owner) => owner.unsafe(`alter role ${role} connection limit 3`).then(async () => disconnect(owner)),
        end: async (owner) => owner.unsafe(`alter role ${role} connection limit -1`),
      },
    ],
    [
      "only reads, as during a failover,",
      {
        begin: async (owner, database) =>
          owner.unsafe(`alter database ${database} set default_transaction_read_only = on`).then(async () => disconnect(owner)),
        end: async (owner, database) =>
          owner.unsafe(`alter database ${database} reset default_transaction_read_only`).then(async () => disconnect(owner)),
      },
    ],
  ];

  it.each(refusals)(
    "a database that %s for a while is come back to",
    async (name, { begin, end }) => {
      const random = scenarioRandom(1401);
      await using world = await openWorld(random);
      const url = new URL(world.databaseUrl);
      const database = url.pathname.slice(1);
      await world.owner.unsafe(`create role ${role} login password 'limited' in role ${everydayRole}`);
      Object.assign(url, { username: role, password: "limited" });
      {
        await using gateway = await openGateway(url.href, world.platform.url);
        world.gateways.push(gateway.url);
        const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: 16 });
        for (let round = 1; round <= 3; round += 1) {
          await waitFor("the next refusal", () => ledger.answered >= (round * events) / 5, 120_000);
          const { refused, answered } = ledger;
          await begin(world.owner, database);
          await waitFor("it to be felt", () => ledger.refused >= refused + 10 || ledger.answered >= answered + 60, recoveryMs);
          await end(world.owner, database);
        }
        await done;
        await untilSound(`a database that ${name}`, { ...world, ledger, random, excuses: ["deadline"], counts: { events, rounds: 3 } });
      }
      await world.owner.unsafe(`drop owned by ${role}`);
      await world.owner.unsafe(`drop role ${role}`);
    },
    300_000,
  );
});

describe("slow", () => {
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
    proxy.heal();
    await untilSound("one second a statement", { ...world, ledger, random, excuses: [], counts: { events } });
  }, 300_000);
});

describe("idle", () => {
  const events = 400;

  it("a gateway that nobody asks keeps two connections, sends what falls due, and loses nothing of the burst that follows", async () => {
    const random = scenarioRandom(1701);
    await using world = await openWorld(random);
    await using gateway = await openGateway(world.databaseUrl, world.platform.url);
    world.gateways.push(gateway.url);
    const later = await openShop(world.sql, { schedule: { delaySeconds: 30 } });
    await addEndpoints(world.sql, [later], world.receiver.url);
    await postEvent(gateway, later, anEvent);
    const connections = async () =>
      (await world.owner`select from pg_stat_activity where datname = current_database() and application_name ^@ 'tidings-gateway'`).length;
    expect(await connections()).toBeGreaterThan(2);
    const left = async () =>
      (await world.sql`select status, sent_at - due_at < interval '10 s' as soon from notification where site_id = ${later.siteId}`)[0];
    await waitFor("the delayed message to leave", async () => (await left())?.["status"] === "sent", 60_000);
    expect(await left()).toEqual({ status: "sent", soon: true });
    await waitFor("idle connections to close", async () => (await connections()) <= 2, 180_000);

    const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: events });
    await done;
    await untilSound("a burst after idleness", { ...world, ledger, random, excuses: [], counts: { events } });
  }, 300_000);
});
