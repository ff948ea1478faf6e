import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { emptyDatabase, testDatabase } from "../../../test/support/database.ts";
import { shared } from "../../../test/support/shared.ts";
import { followChain, insertAuditEntry, listAuditEntries, listChains, type NewAuditEntry } from "./audit.ts";
import { connect } from "./connect.ts";
import { newId } from "./ids.ts";
import { migrate, readMigrationFiles } from "./migrate.ts";
import { inTransaction } from "./statement.ts";

const database = shared(async () => testDatabase());

const entryOf = (account_id: string, more: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  id: newId(),
  account_id,
  actor: "ann@example.com",
  actor_id: randomUUID(),
  token_id: null,
  action: "sites.update",
  subject: randomUUID(),
  address: "127.0.0.1",
  ...more,
});

async function openAccount(entries = 0): Promise<string> {
  const id = newId();
  await database.sql`insert into account (id, name, verify_token) values (${id}, 'A', ${id})`;
  for (let n = 1; n <= entries; n += 1) {
    const changes = [
      { member: "rate", before: n - 1, after: n },
      { member: "phone", personal: true, after: `+49170000000${n}` },
    ];
    await insertAuditEntry(database.sql, entryOf(id, { changes }));
  }
  return id;
}

describe("an account's chain", () => {
  it("is whole however many entries are added at the same moment", async () => {
    const account = await openAccount();
    const pools = [1, 2, 3].map(() => connect(database.url, { max: 4 }));
    await Promise.all(
      Array.from({ length: 60 }, async (_none, n) => {
        const sql = pools[n % 3] ?? database.sql;
        const adding = inTransaction(sql, async (transaction) => {
          await insertAuditEntry(transaction, entryOf(account));
          if (n % 5 === 0) throw new Error("rolled back");
        });
        await adding.catch(() => undefined);
      }),
    );
    await Promise.all(pools.map(async (pool) => pool.end()));
    expect(await followChain(database.sql, account)).toMatchObject({ entries: 48, broken: null });
    const rows = await database.sql<{ seq: string }[]>`select seq from audit_entry where account_id = ${account} order by seq`;
    expect(rows.map(({ seq }) => Number(seq))).toEqual(Array.from({ length: 48 }, (_none, n) => n + 1));
  });

  it("has no gap after a connection was cut between an entry and its commit", async () => {
    const account = await openAccount(2);
    const cut = connect(database.url, { max: 1 });
    const adding = inTransaction(cut, async (transaction) => {
      await insertAuditEntry(transaction, entryOf(account));
      const [own] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await database.sql`select pg_terminate_backend(${own?.pid ?? 0})`;
      await transaction`select 1`;
    });
    await expect(adding).rejects.toThrow(/terminating connection|CONNECTION_/);
    await insertAuditEntry(database.sql, entryOf(account));
    expect(await followChain(database.sql, account)).toMatchObject({ entries: 3, broken: null });
    await cut.end();
  });

  it("is chained by the database, whatever the numbers and hashes that come with an entry", async () => {
    const account = await openAccount(1);
    await database.sql`
      insert into audit_entry (id, account_id, actor, action, seq, previous, hash) values (${newId()}, ${account}, 'a', 'b', 9, '\\x01', '\\x02')`;
    expect(await followChain(database.sql, account)).toMatchObject({ entries: 2, broken: null });
  });
});

it("shows no values that were planted beside an entry that has none, and finds them", async () => {
  const account = await openAccount();
  const entry = entryOf(account, { subject: null });
  await insertAuditEntry(database.sql, entry);
  // Only the database's owner can do this.
  await database.owner.begin(async (sql) => {
    await sql`alter table audit_value disable trigger has_entry`;
    await sql`
      insert into audit_value (entry_id, account_id, salt, content) values (${entry.id}, ${account}, '\\x01', '{"subject":{"after":"planted"}}')`;
    await sql`alter table audit_value enable trigger has_entry`;
  });
  const [shown] = await listAuditEntries(database.sql, account, {}, { from: null, before: null, limit: 1 });
  expect(shown).toMatchObject({ id: entry.id, content: null });
  expect((await followChain(database.sql, account)).broken).toMatchObject({ seq: 1, reason: "personal values were added to it" });
});

describe("following a chain", () => {
  const at = (account: string, seq: number) => database.owner`account_id = ${account} and seq = ${seq}`;

  it.each([
    ["a change", 3, "its content", (a: string) => database.owner`update audit_entry set actor = 'bob@example.com' where ${at(a, 3)}`],
    [
      "a change of a value",
      2,
      "its content",
      (a: string) => database.owner`update audit_entry set changes = '[{"member":"rate","before":1,"after":99}]' where ${at(a, 2)}`,
    ],
    ["a deletion in the middle", 3, "it is missing", (a: string) => database.owner`delete from audit_entry where ${at(a, 3)}`],
    [
      "a change with a hash made anew",
      4,
      "does not follow",
      async (a: string) => {
        await database.owner`update audit_entry set actor = 'bob@example.com' where ${at(a, 3)}`;
        await database.owner`update audit_entry e set hash = audit_hash(e) where ${at(a, 3)}`;
      },
    ],
    [
      "two that change places",
      2,
      "does not follow",
      async (a: string) => {
        await database.owner`update audit_entry set seq = -seq where account_id = ${a} and seq in (2, 3)`;
        await database.owner`update audit_entry set seq = 5 + seq where account_id = ${a} and seq < 0`;
      },
    ],
    ["an end that is gone", 5, "it is missing", (a: string) => database.owner`delete from audit_entry where ${at(a, 5)}`],
    [
      "personal values that were changed",
      2,
      "personal values were changed",
      (a: string) => database.owner`
        update audit_value set content = '{"phone":{"after":"+1"}}' where entry_id = (select id from audit_entry where ${at(a, 2)})`,
    ],
    [
      "personal values that were deleted",
      2,
      "were deleted",
      (a: string) => database.owner`delete from audit_value where entry_id = (select id from audit_entry where ${at(a, 2)})`,
    ],
  ] as const)("names the first entry that is not as it was after %s", async (_what, seq, reason, tamper) => {
    const account = await openAccount(5);
    expect(await followChain(database.sql, account)).toMatchObject({ entries: 5, broken: null });
    await tamper(account);
    expect((await followChain(database.sql, account)).broken).toMatchObject({ seq, reason: expect.stringContaining(reason) });
  });

  it("finds that a whole end was taken off, with its note, only by a head that was kept elsewhere", async () => {
    const account = await openAccount(5);
    const { head } = await followChain(database.sql, account);
    await database.owner`delete from audit_entry where account_id = ${account} and seq > 3`;
    await database.owner`update audit_head set seq = 3, hash = (select hash from audit_entry where ${at(account, 3)}) where account_id = ${account}`;
    expect(await followChain(database.sql, account)).toMatchObject({ entries: 3, broken: null, missing: [] });
    expect(await followChain(database.sql, account, [head])).toMatchObject({ entries: 3, broken: null, missing: [head] });
  });

  it("is whole after the migration chained what was there, longer than a page", async () => {
    await using old = await emptyDatabase();
    const files = await readMigrationFiles();
    await migrate(
      old.owner,
      files.slice(
        0,
        files.findIndex(({ name }) => name.endsWith("_audit_chain.sql")),
      ),
    );
    const [one, other] = [newId(), newId()].toSorted() as [string, string];
    await old.owner`insert into account (id, name, verify_token) values (${one}, 'A', 'a'), (${other}, 'B', 'b')`;
    await old.owner`
      insert into audit_entry (id, account_id, actor, action, subject)
      select gen_random_uuid(), case when n % 3 = 0 then ${other}::uuid else ${one}::uuid end, 'ann', case n when 5 then 'sandbox.markRead' else 'x' end, 'wamid.' || n
      from generate_series(1, 1200) n`;
    await migrate(old.owner);
    expect(await listChains(old.owner, "00000000-0000-0000-0000-000000000000")).toEqual([one, other]);
    expect(await followChain(old.owner, one)).toMatchObject({ entries: 800, broken: null });
    expect(await followChain(old.owner, other)).toMatchObject({ entries: 400, broken: null });
    expect(await old.owner`select content->'subject'->>'after' as subject from audit_value`).toEqual([{ subject: "wamid.5" }]);
    await insertAuditEntry(old.owner, entryOf(one));
    expect(await followChain(old.owner, one)).toMatchObject({ entries: 801, broken: null });
  });
});
