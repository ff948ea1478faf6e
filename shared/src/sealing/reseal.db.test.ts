import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { openShop, masterKey } from "../../../test/support/gateway.ts";
import { shared } from "../../../test/support/shared.ts";
import { newId } from "../db/ids.ts";
import { phonePlace, recordOptOuts } from "../db/opt-out.ts";
import { VaultError, verifyTokenPlace } from "../secrets/vault.ts";
import { openVault } from "./open-vault.ts";
import { anyRecord, resealColumn } from "./reseal.ts";

const database = shared(async () => testDatabase());

const keys = { masterKey, masterKeyOld: undefined };

it("what earlier versions stored in the clear is sealed once, by two programs at once, and each row in its own place", async () => {
  const { sql } = database;
  const vault = await openVault(sql, keys);
  const { accountId } = await openShop(sql);
  const phones = Array.from({ length: 450 }, (_, i) => ({ id: newId(), phone: `+1555${String(i).padStart(7, "0")}` }));
  await sql`
    insert into opt_out (id, account_id, phone_hash, phone, scope, source, active, since, told_at)
    select p.id, ${accountId}, p.phone, p.phone, 'all', 'callback', true, now(), now()
    from json_to_recordset(${JSON.stringify(phones)}::text::json) as p(id uuid, phone text)`;
  const both = await Promise.all([1, 2].map(async () => resealColumn(sql, vault, "opt_out.phone", anyRecord)));
  expect(both.map(({ unreadable }) => unreadable)).toEqual([0, 0]);
  const stored = await sql<{ id: string; phone: string }[]>`select id, phone from opt_out where account_id = ${accountId} order by id`;
  expect(stored.map(({ id, phone }) => vault.open(phone, phonePlace(accountId, id)))).toEqual(phones.map(({ phone }) => phone));
  const [first, second] = stored;
  expect(() => vault.open(first?.phone ?? "", phonePlace(accountId, second?.id ?? ""))).toThrow(VaultError);
  expect(await resealColumn(sql, vault, "opt_out.phone", anyRecord)).toEqual({ sealed: 0, unreadable: 0 });
  await resealColumn(sql, vault, "account.verify_token", anyRecord);
  const [account] = await sql`select verify_token from account where id = ${accountId}`;
  expect(vault.open(account?.["verify_token"], verifyTokenPlace(accountId))).toBe("verify");
});

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

it("several first starts agree on one set of kept keys; a wrong key is refused, and makes none", async () => {
  await using other = await testDatabase();
  const { sql } = other;
  await openShop(sql);
  const wrong = { masterKey: randomBytes(32), masterKeyOld: undefined };
  await expect(openVault(sql, wrong)).rejects.toThrow(/MASTER_KEY is not the one/);
  expect(await sql`select from vault_key`).toHaveLength(0);
  const vaults = await Promise.all([1, 2, 3].map(async () => openVault(sql, keys)));
  expect(new Set(vaults.map((vault) => vault.fingerprint("+1555"))).size).toBe(1);
  await expect(openVault(sql, wrong)).rejects.toThrow(/MASTER_KEY is not the one/);
});
