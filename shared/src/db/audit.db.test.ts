import { describe, expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { shared } from "../../../test/support/shared.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { followAudit, insertAuditEntry } from "./audit.ts";
import { connect } from "./connect.ts";
import { newId } from "./ids.ts";
import { type Sql, inTransaction } from "./statement.ts";

describe("following the audit", () => {
  const database = shared(async () => testDatabase());

  const openAccount = async () => {
    const id = newId();
    await database.sql`insert into account (id, name, verify_token) values (${id}, 'A', ${id})`;
    return id;
  };
  const add = (sql: Sql, account_id: string, action = "sites.update") =>
    insertAuditEntry(sql, { id: newId(), account_id, actor: "a", actor_id: null, token_id: null, action, subject: null, address: null });

  /** The numbers of an account's entries in the order in which they come, until there are `count`. */
  const numbersOf = async (accountId: string | null, count: number, cursors = new Map<string, number>()) => {
    const ended = new AbortController();
    const seen: { account: string; seq: number; missing: number | null }[] = [];
    for await (const { entries, missing } of followAudit(database.sql, { accountId, cursors, goesOn: count > 0, ended: ended.signal })) {
      seen.push(...entries.map((entry) => ({ account: entry.account_id, seq: entry.seq, missing })));
      if (count > 0 && seen.length >= count) ended.abort();
    }
    return seen;
  };

  it("tells each entry once and in order, while many are added at the same moment and some are rolled back", async () => {
    const accounts = [await openAccount(), await openAccount()] as const;
    const pool = connect(database.url, { max: 8 });
    const following = numbersOf(null, 2 * 120);
    await Promise.all(
      accounts.flatMap((account) =>
        Array.from({ length: 150 }, async (_none, n) => {
          const adding = inTransaction(pool, async (sql) => {
            await add(sql, account);
            if (n % 5 === 0) throw new Error("rolled back");
          });
          await adding.catch(() => undefined);
        }),
      ),
    );
    const seen = await following;
    for (const account of accounts)
      expect(seen.filter((each) => each.account === account).map(({ seq }) => seq)).toEqual(
        Array.from({ length: 120 }, (_none, n) => n + 1),
      );
    await pool.end();
  });

  it("waits for an entry that is not committed, and tells none after it before", async () => {
    const account = await openAccount();
    await add(database.sql, account);
    const pool = connect(database.url, { max: 2 });
    let later: Promise<unknown> = Promise.resolve();
    await pool.begin(async (transaction) => {
      await add(transaction, account, "first");
      later = add(pool, account, "second");
      expect((await numbersOf(account, 0)).map(({ seq }) => seq)).toEqual([1]);
    });
    await later;
    expect((await numbersOf(account, 0, new Map([[account, 1]]))).map(({ seq }) => seq)).toEqual([2, 3]);
    await pool.end();
  });

  it("goes on when the database has restarted", async () => {
    const account = await openAccount();
    await add(database.sql, account);
    let following: ReturnType<typeof numbersOf> | undefined;
    await database.owner.begin(async (held) => {
      await held`lock table audit_head in access exclusive mode`;
      following = numbersOf(account, 2);
      const cut = () => database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await waitFor("the reader to wait, and to be cut off", async () => (await cut()).length === 1);
    });
    await add(database.sql, account);
    expect((await following)?.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it("goes on after a number, and refuses one that is not there", async () => {
    const account = await openAccount();
    for (let n = 0; n < 3; n += 1) await add(database.sql, account);
    expect((await numbersOf(account, 0, new Map([[account, 2]]))).map(({ seq }) => seq)).toEqual([3]);
    expect(await numbersOf(account, 0, new Map([[account, 3]]))).toEqual([]);
    await expect(numbersOf(account, 0, new Map([[account, 4]]))).rejects.toThrow(
      `account ${account} has 3 entries, and 4 were to be there`,
    );
  });

  it("says which entry was taken out, and goes on", async () => {
    const account = await openAccount();
    for (let n = 0; n < 4; n += 1) await add(database.sql, account);
    await database.owner`delete from audit_entry where account_id = ${account} and seq in (2, 4)`;
    const cursors = new Map<string, number>();
    expect(await numbersOf(account, 0, cursors)).toEqual([1, 3].map((seq) => ({ account, seq, missing: 2 })));
    expect(cursors.get(account)).toBe(4);
  });
});
