import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { openShop, masterKey } from "../../../test/support/gateway.ts";
import { shared } from "../../../test/support/shared.ts";
import { phonePlace, recordOptOuts } from "../db/opt-out.ts";
import { openVault } from "./open-vault.ts";

const database = shared(async () => testDatabase());

const keys = { masterKey, masterKeyOld: undefined };

it("an opt-out is stored without its phone in the clear", async () => {
  const { sql } = database;
  const vault = await openVault(sql, keys);
  const { accountId } = await openShop(sql);
  const phone = "+15550001234";
  const change = { phone, scope: "all", source: "callback", code: null, active: true, at: new Date() } as const;
  expect(await recordOptOuts(sql, vault, accountId, [change])).toMatchObject({ entries: 1 });
  const [row] = await sql`select id, phone, opt_out::text as text from opt_out where account_id = ${accountId}`;
  expect(row?.["text"]).not.toContain(phone.slice(1));
  expect(vault.open(row?.["phone"], phonePlace(accountId, row?.["id"]))).toBe(phone);
});

it("several first starts agree on one set of kept keys, and a wrong key is refused", async () => {
  await using other = await testDatabase();
  const { sql } = other;
  const wrong = { masterKey: randomBytes(32), masterKeyOld: undefined };
  const vaults = await Promise.all([1, 2, 3].map(async () => openVault(sql, keys)));
  expect(new Set(vaults.map((vault) => vault.fingerprint("+1555"))).size).toBe(1);
  await expect(openVault(sql, wrong)).rejects.toThrow(/MASTER_KEY is not the one/);
});
