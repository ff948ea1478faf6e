import { cp, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "shared/db/connect";
import type { Pool } from "shared/db/statement";
import { freePort, postgresSettings, prepareHome } from "shared/postgres/cluster";
import { clusterFolder, findBinaries, spawnAs } from "shared/postgres/files";
import { startPostgres } from "shared/postgres/start";
import { createLogger } from "shared/server/logger";
import { expect, test, vi } from "vitest";
import { openAdminOn } from "../../../test/support/admin.ts";
import { migrated } from "../../../test/support/database.ts";
import { insertNotifications, openShop } from "../../../test/support/gateway.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { appRouter } from "../router.ts";
import { createReplica } from "./replica.ts";

vi.setConfig({ testTimeout: 120_000 });

/** A migrated PostgreSQL, and a replica that streams from it. */
async function openPair() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tidings-replica-")));
  const [dataDir, copy] = [join(folder, "primary"), join(folder, "replica")];
  {
    await using first = await startPostgres({ dataDir, durable: false });
    await using _ = await migrated(first);
  }
  await cp(dataDir, copy, { recursive: true, verbatimSymlinks: true });
  const primary = await startPostgres({ dataDir, durable: false });
  const home = await prepareHome(copy, await findBinaries(), true);
  await writeFile(join(clusterFolder(home), "standby.signal"), "");
  const [from, port] = [new URL(primary.url), await freePort()];
  const settings = [
    ...postgresSettings(false),
    `primary_conninfo=host=127.0.0.1 port=${from.port} user=${from.username} password=${from.password}`,
  ];
  const command = [join(home.bin, "postgres"), "-D", clusterFolder(home), "-p", String(port), ...settings.flatMap((one) => ["-c", one])];
  const child = spawnAs(home.account, command, { env: home.env, stdio: "ignore" });
  const ended = new Promise<void>((end) => child.once("exit", () => end()));
  const at = (url: string): string => Object.assign(new URL(url), { port: String(port) }).href;
  const [sql, owner, there] = [
    connect(primary.everydayUrl, { max: 2 }),
    connect(primary.url, { max: 1 }),
    connect(at(primary.url), { max: 1 }),
  ];
  await waitFor("the replica", async () => (await there`select 1`.catch(() => [])).length === 1, 30_000);
  const stop = async (): Promise<void> => {
    child.kill("SIGINT");
    await ended;
  };
  return {
    url: primary.everydayUrl,
    readUrl: at(primary.everydayUrl),
    sql,
    there,
    stop,
    async [Symbol.asyncDispose]() {
      await Promise.all([sql, owner, there].map((pool: Pool) => pool.end({ timeout: 1 })));
      await stop();
      await primary[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

test("lists and charts are read of a replica, with its lag, never older than the reader's own changes, and of the primary where it is behind or away", async () => {
  await using pair = await openPair();
  await using admin = await openAdminOn(pair.url, { databaseReadUrl: pair.readUrl });
  const { client, token } = await admin.signUp();
  const accountId = (await client.auth.me.query()).account.id;
  const shop = await openShop(pair.sql, { accountId });
  /** The number of messages as a list tells it, and its lag; 0: of the primary. */
  const count = async (): Promise<[number, number]> => {
    const answer = await admin.fetch("/api/v1/notifications/count", { headers: { authorization: `Bearer ${token}` } });
    return [((await answer.json()) as { total: number }).total, Number(answer.headers.get("x-service-lag"))];
  };
  await waitFor("the replica to be read", async () => (await count())[1] > 0);
  await pair.there`select pg_wal_replay_pause()`;
  await insertNotifications(pair.sql, shop, [{ status: "sent" }]);
  await using strict = createReplica({ primary: pair.sql, url: pair.readUrl, log: createLogger("test", "silent"), mostLag: 1 });
  await waitFor("the lag to show", async () => (await count())[1] >= 3);
  expect(await count()).toEqual([0, expect.any(Number)]);
  await waitFor("too great a lag", async () => (await strict.forReader(accountId)) === null);
  const batch = await admin.fetch(`/trpc/notifications.count,sites.list?batch=1&input=${encodeURIComponent('{"0":{},"1":{}}')}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(Number(batch.headers.get("x-service-lag"))).toBeGreaterThanOrEqual(3);
  await client.sites.update.mutate({ id: shop.siteId, name: "Changed" });
  expect(await count()).toEqual([1, 0]);
  await pair.there`select pg_wal_replay_resume()`;
  await waitFor("the replica to be read again", async () => (await count())[1] > 0);
  expect((await count())[0]).toBe(1);
  await pair.stop();
  expect(await count()).toEqual([1, 0]);
});

test("nothing else is read of it", () => {
  const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { type: string; meta?: { mayLag?: true } } }>;
  const lagging = Object.entries(procedures).filter(([, { _def }]) => _def.meta?.mayLag === true);
  expect(
    lagging
      .map(([path, { _def }]) => `${_def.type} ${path}`)
      .toSorted()
      .join(" "),
  ).toBe(
    "query events.count query events.list query events.names query notifications.count query notifications.filterValues query notifications.list query notifications.scheduled query notifications.scheduledCount query stats.messages query stats.overview query stats.pricing query webhookDeliveries.count query webhookDeliveries.list",
  );
});
