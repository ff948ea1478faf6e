import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { emptyDatabase } from "../../../test/support/database/test-database.ts";
import { migrate } from "./migrate.ts";
import { readMigrationFiles } from "./migration-file.ts";

test("keys, secrets, sessions and audit entries of before are kept", async () => {
  await using database = await emptyDatabase();
  const { sql } = database;
  const files = await readMigrationFiles();
  const at = files.findIndex((file) => file.name === "0007_people.sql");
  await migrate(sql, files.slice(0, at));
  const [account, user, site, gone, token] = [randomUUID(), randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  await sql`insert into account (id, name, verify_token) values (${account}, 'A', 'v')`;
  await sql`insert into app_user (id, account_id, email, name, role, password_hash) values (${user}, ${account}, 'a@x.example', 'A', 'owner', 'h')`;
  await sql`insert into user_session (id, user_id, expires_at, created_at)
    values ('one', ${user}, now() + interval '1 day', '2026-01-01'), ('two', ${user}, now() + interval '1 day', '2026-01-02')`;
  await sql`insert into site (id, account_id, name, url, source_type, key_hash, key_hint, webhook_secret, deleted_at) values
    (${site}, ${account}, 'S', 'https://s.example', 'generic', '\\x01', 'sk_live_…abcd', 'sealed', null),
    (${gone}, ${account}, 'S', 'https://s.example', 'generic', '', '', '', now())`;
  await sql`insert into audit_entry (id, account_id, actor, action) values
    (${randomUUID()}, ${account}, 'a@x.example', 'sites.create'), (${randomUUID()}, ${account}, ${`a@x.example (token ${token})`}, 'sites.update')`;

  await migrate(sql);

  expect(
    await sql`select kind, key_hash, secret, hint, expires_at, last_used_at from site_secret where site_id = ${site} order by kind`,
  ).toEqual([
    { kind: "api_key", key_hash: Buffer.from([1]), secret: null, hint: "sk_live_…abcd", expires_at: null, last_used_at: null },
    { kind: "webhook_secret", key_hash: null, secret: "sealed", hint: "whs_…", expires_at: null, last_used_at: null },
  ]);
  expect(await sql`select id from site_secret where site_id = ${gone}`).toEqual([]);
  expect(await sql`select id, last_used_at = created_at as as_made from user_session order by handle`).toEqual([
    { id: "one", as_made: true },
    { id: "two", as_made: true },
  ]);
  expect(await sql`select actor, token_id, action from audit_entry order by action`).toEqual([
    { actor: "a@x.example", token_id: null, action: "sites.create" },
    { actor: "a@x.example", token_id: token, action: "sites.update" },
  ]);
});
