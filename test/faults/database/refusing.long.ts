import type { Pool } from "shared/db/connect";
import { expect, it } from "vitest";
import { startLoad } from "../../support/faults/event-load.ts";
import { recoveryMs, violations } from "../../support/faults/invariants.ts";
import { report } from "../../support/faults/report.ts";
import { scenarioRandom } from "../../support/faults/scale.ts";
import { openWorld } from "../../support/faults/world.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";
import { waitFor } from "../../support/wait-for.ts";

const events = 600;
const role = `limited_${process.pid}`;

/** Ends what the gateway has open, as a failover does. */
const disconnect = async (sql: Pool): Promise<unknown> =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'tidings-gateway'`;

interface Refusal {
  begin: (sql: Pool, database: string) => Promise<unknown>;
  end: (sql: Pool, database: string) => Promise<unknown>;
}

const refusals: [string, Refusal][] = [
  [
    "gives no connection",
    {
      begin: async (sql) => sql.unsafe(`alter role ${role} connection limit 0`).then(async () => disconnect(sql)),
      end: async (sql) => sql.unsafe(`alter role ${role} connection limit -1`),
    },
  ],
  [
    "gives three connections of ten",
    {
      begin: async (sql) => sql.unsafe(`alter role ${role} connection limit 3`).then(async () => disconnect(sql)),
      end: async (sql) => sql.unsafe(`alter role ${role} connection limit -1`),
    },
  ],
  [
    "only reads, as during a failover,",
    {
      begin: async (sql, database) =>
        sql.unsafe(`alter database ${database} set default_transaction_read_only = on`).then(async () => disconnect(sql)),
      end: async (sql, database) =>
        sql.unsafe(`alter database ${database} reset default_transaction_read_only`).then(async () => disconnect(sql)),
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
    await world.sql.unsafe(`create role ${role} login password 'limited'`);
    await world.sql.unsafe(`grant all on all tables in schema public to ${role}`);
    Object.assign(url, { username: role, password: "limited" });
    {
      await using gateway = await openGateway(url.href, world.platform.url);
      world.gateways.push(gateway.url);
      const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: 16 });
      for (let round = 1; round <= 3; round += 1) {
        await waitFor("the next refusal", () => ledger.answered >= (round * events) / 5, 120_000);
        const { refused, answered } = ledger;
        await begin(world.sql, database);
        await waitFor("it to be felt", () => ledger.refused >= refused + 10 || ledger.answered >= answered + 60, recoveryMs);
        await end(world.sql, database);
      }
      await done;
      const found = await violations({ ...world, ledger, excuses: ["deadline"] });
      report(`a database that ${name}`, {
        seed: random.seed,
        events,
        rounds: 3,
        requests: ledger.requests,
        refused: ledger.refused,
        violations: found.length,
      });
      expect(found).toEqual([]);
    }
    await world.sql.unsafe(`drop owned by ${role}`);
    await world.sql.unsafe(`drop role ${role}`);
  },
  300_000,
);
