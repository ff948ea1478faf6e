import { connect } from "shared/db/connect";
import type { Sql } from "shared/db/statement";
import { startSandbox } from "shared/sandbox/start";
import { createLogger } from "shared/server/logger";
import { expect, test } from "vitest";
import { openAdminOn } from "../support/admin.ts";
import { type Owner, testDatabase, type TestDatabase } from "../support/database.ts";
import { openGateway } from "../support/gateway.ts";
import { controlToken, sandboxKey } from "../support/sandbox.ts";
import { shared } from "../support/shared.ts";

const database = shared(async () => testDatabase());

const log = createLogger("test", "silent");

test.each([
  ["gateway", (url: string) => openGateway(url, "http://127.0.0.1:9")],
  ["admin server", (url: string) => openAdminOn(url)],
  ["sandbox", (url: string) => startSandbox({ host: "127.0.0.1", port: 0, databaseUrl: url, key: sandboxKey, controlToken, log })],
  ["statement", async (url: string) => connect(url, { max: 1 })`select`],
])("a test cannot let a %s work as the owner", async (_what, start) => {
  await expect(start(database.ownerUrl)).rejects.toThrow(/the owner only migrates and restores/);
});

test.each(["tidings-migrate", "tidings-restore"])("%s does", async (applicationName) => {
  const sql = connect(database.ownerUrl, { max: 1, applicationName });
  expect(await sql`select current_user as name`).toEqual([{ name: decodeURIComponent(new URL(database.ownerUrl).username) }]);
  await sql.end();
});

test("what a test arranges as the owner fits no statement of the product", () => {
  // The compiler checks it.
  const fits: Record<"programs" | "owner" | "transaction", boolean> = {
    programs: true satisfies TestDatabase["sql"] extends Sql ? true : false,
    owner: false satisfies Owner extends Sql ? true : false,
    transaction: false satisfies Parameters<Parameters<Owner["begin"]>[0]>[0] extends Sql ? true : false,
  };
  expect(fits).toEqual({ programs: true, owner: false, transaction: false });
});
