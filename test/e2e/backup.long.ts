import { execFile } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { isDeepStrictEqual, promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import { verifyBackup } from "admin-server/cli/backup/archive";
import { load, requireEmpty } from "admin-server/cli/backup/database";
import { migrate, readMigrationFiles } from "shared/db/migrate";
import type { Pool } from "shared/db/statement";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { data } from "../support/data.ts";
import { emptyDatabase, testDatabase } from "../support/database.ts";
import {
  backUp,
  backupFolder,
  restore,
  anyPhone,
  liveThrough,
  type KeepingWorld,
  openKeepingWorld,
  everyTable,
} from "../support/keeping.ts";
import { waitFor } from "../support/wait-for.ts";

let world: KeepingWorld;
let folder: Awaited<ReturnType<typeof backupFolder>>;
/** A backup of a world in which a person has left traces everywhere, and every row of it. */
let file: string;
let kept: Record<string, string[]>;
beforeAll(async () => {
  folder = await backupFolder();
  world = await openKeepingWorld();
  await liveThrough(world, anyPhone(), "ada");
  // Servers note uses in the background: the rows equal those of the backup only if nothing was written meanwhile.
  ({ file, kept } = await waitFor("a backup while nothing was written", async () => {
    const made = { file: folder.file(), kept: await rowsOf(world.sql) };
    await backUp(world.sql, made.file);
    return isDeepStrictEqual(await rowsOf(world.sql), made.kept) && made;
  }));
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

/** Tables that a backup leaves out: rows that a crash may lose, and the present turns. */
const leftOut = new Set([
  "login_try",
  "site_rate",
  "schema_migration",
  "job_turn",
  "template_poll",
  "platform_health",
  "event_learning",
  "notification_count",
  "platform_callback",
  // These rows belong to the installation that the backup was made of.
  "gateway",
  // These rows are of the last seconds alone, so PostgreSQL keeps no record of their changes.
  "number_pace",
  "send_count",
  // These rows are learned anew from the restored ones.
  "event_search",
  "search_learning",
]);
const rowsOf = async (sql: Pool): Promise<Record<string, string[]>> => {
  const tables = (await everyTable(sql)).filter((table) => !leftOut.has(table));
  const rows = await Promise.all(
    tables.map(async (table) => sql<{ row: string }[]>`select t::text as row from ${sql(table)} t order by 1`),
  );
  return Object.fromEntries(tables.map((table, i) => [table, rows[i]?.map(({ row }) => row) ?? []]));
};
const tablesIn = async (sql: Pool) =>
  (await sql`select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`).length;

describe("a restored backup", () => {
  it("is the same, row by row, and works: partitions, sequences and triggers are there", async () => {
    await using target = await emptyDatabase();
    expect(await restore(target.owner, file)).toEqual({ closed: 0 });
    expect(await rowsOf(target.owner)).toEqual(kept);
    const filled = Object.values(kept).filter((rows) => rows.length > 0).length;
    expect(filled).toBeGreaterThan(20);
    const partitions = (sql: Pool) => sql`select inhrelid::regclass::text as name, pg_get_expr(c.relpartbound, c.oid) as bound
      from pg_inherits join pg_class c on c.oid = inhrelid where c.relkind = 'r' order by 1`;
    expect(await partitions(target.owner)).toEqual(await partitions(world.sql));
    const { owner: sql } = target;
    await sql`insert into sandbox.callback (waba_id, subject, field, kind, value, due_at, created_at) values ('w', 's', 'f', 'k', '{}', now(), now())`;
    const version = async () => (await sql`select config_version from account`)[0]?.["config_version"];
    const first = await version();
    await sql`update template set name = name`;
    expect(await version()).not.toBe(first);
  });

  it("is of one moment, whatever is written meanwhile", async () => {
    await using target = await emptyDatabase();
    let stop = false;
    let posted = 0;
    const writers = Array.from({ length: 2 }, async (_, writer) => {
      for (let i = 0; !stop; i += 1) {
        const { status } = await world.post(
          { customer: { phone_e164: anyPhone() }, order: { id: `${writer}-${i}` } },
          { "X-Service-Idempotency-Key": `${writer}-${i}` },
        );
        expect(status).toBe(200);
        posted += 1;
      }
    });
    const under = folder.file();
    await waitFor("some events", () => posted >= 20);
    const rows = await backUp(world.sql, under);
    const during = posted;
    stop = true;
    await Promise.all(writers);
    await world.settled();
    expect(during).toBeGreaterThan(20);
    await restore(target.owner, under);
    const [torn] = await target.owner`
      select (select count(*) from event e where not exists (select from event_payload p where p.site_id = e.site_id and p.id = e.id))::integer as events,
        (select count(*) from event_payload p where not exists (select from event e where p.site_id = e.site_id and p.id = e.id))::integer as payloads,
        (select count(*) from notification n where not exists (select from event e where e.site_id = n.site_id and e.id = n.event_id))::integer as messages,
        (select count(*) from event e where bindings_run > 0 and not dry_run
          and not exists (select from notification n where e.site_id = n.site_id and e.id = n.event_id))::integer as silent,
        (select count(*) from idempotency i where not exists (select from event e where e.site_id = i.site_id and e.id = i.event_id))::integer as keys,
        (select count(*) from customer_order o where not exists (select from event e where e.site_id = o.site_id and e.id = o.last_event_id))::integer as orders`;
    expect(torn).toEqual({ events: 0, payloads: 0, messages: 0, silent: 0, keys: 0, orders: 0 });
    const [count] = await target.owner`select count(*)::integer as n from event`;
    expect(count?.["n"]).toBe(rows["event"]);
  });

  it("sends nothing again that was under way when it was made", async () => {
    await using source = await testDatabase();
    await using target = await emptyDatabase();
    const { sql } = source;
    await sql`insert into account (id, name, verify_token) values (gen_random_uuid(), 'A', 'v')`;
    await sql`insert into site (id, account_id, name, url, source_type) select gen_random_uuid(), id, 'S', 'https://s.example', 'generic' from account`;
    await sql`insert into event (id, site_id, source, name, test, dry_run, bindings_run, owner)
      select uuid_at(now()), id, 's', 'n', false, false, 1, gen_random_uuid() from site`;
    await sql`insert into gateway select owner, now() + interval '20 seconds', id from event`;
    await sql`insert into event_due select site_id, id, now() from event`;
    await sql`
      insert into notification (id, site_id, account_id, event_id, binding_id, template_id, template, language, to_phone, position, status, components, wa_message_id)
      select uuid_at(now() + n * interval '1 second'), s.id, s.account_id, e.id, s.id, s.id, 't', 'en', '+15551230001', n, status::notification_status, '[]', wamid
      from site s, event e, (values (0, 'sent', 'wamid.1'), (1, 'sending', null), (2, 'queued', null), (3, 'scheduled', null), (4, 'scheduled', null))
        as m(n, status, wamid)`;
    await sql`
      insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at, owner)
      select site_id, id, account_id, event_id, binding_id, 'digest', due, due, gen_random_uuid()
      from notification cross join lateral (select now() + (position - 3.5) * interval '1 hour' as due) soon where position > 1`;
    await sql`update waiting_message set owner = null where due_at > now()`;
    await sql`
      insert into resend_job (id, account_id, created_by, filter, force, total, resent, below)
      select gen_random_uuid(), id, 'ann@example.com', '{}', false, 9, 4, uuid_at(now() + interval '1 minute') from account`;
    const under = folder.file();
    await backUp(sql, under);
    expect(await restore(target.owner, under)).toEqual({ closed: 1 });
    // The job would send messages that the restore has closed, and any that the original installation has sent again since.
    expect(await target.owner`select resent, finished_at is not null as finished from resend_job`).toEqual([{ resent: 4, finished: true }]);
    expect(await target.owner`select status, error_code, local_failure from notification order by position`).toEqual(
      data("test-e2e-backup", "sends nothing again that was under way when it was made"),
    );
    expect(await target.owner`select owner, due_at > now() as "isLater" from waiting_message`).toEqual([{ owner: null, isLater: true }]);
    expect(await target.owner`select chat, recipients_sent, recipients_failed from event`).toEqual([
      { chat: "partial", recipients_sent: 1, recipients_failed: 2 },
    ]);
    expect(await target.owner`select id from gateway union all select id from event_due`).toEqual([]);
    expect(await sql`select status from notification where status in ('queued', 'sending')`).toHaveLength(2);
  });

  it("can be tried again when it was cut off midway, and left nothing until then", async () => {
    await using target = await emptyDatabase();
    const { manifest } = await verifyBackup(file);
    const name = new URL(target.url).pathname.slice(1);
    const cuts: Promise<unknown>[] = [];
    const cutOff = async () => world.database.owner`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    await expect(load(target.owner, file, manifest, () => void cuts.push(cutOff()))).rejects.toThrow(/connection/i);
    await Promise.all(cuts);
    await requireEmpty(target.owner, manifest, "DATA_DIR here");
    expect(await restore(target.owner, file)).toEqual({ closed: 0 });
    expect(await rowsOf(target.owner)).toEqual(kept);
  });

  it("of an older version is brought up to this one", async () => {
    await using source = await emptyDatabase();
    await using target = await emptyDatabase();
    const files = await readMigrationFiles();
    await migrate(source.owner, files.slice(0, 6));
    await source.owner`insert into account (id, name, verify_token) values (gen_random_uuid(), 'Old', 'v')`;
    await source.owner`insert into site (id, account_id, name, url, source_type, key_hash, key_hint, webhook_secret)
      select gen_random_uuid(), id, 'S', 'https://s.example', 'generic', '\\x01', 'hint', 'sealed' from account`;
    const old = folder.file();
    await backUp(source.owner, old);
    await restore(target.owner, old);
    expect(await target.owner`select kind, secret from site_secret order by kind`).toEqual([
      { kind: "api_key", secret: null },
      { kind: "webhook_secret", secret: "sealed" },
    ]);
    expect(await target.owner`select number from schema_migration`).toHaveLength(files.length);
  });
});

it("is an archive that tar reads, with the manifest and its authentication at its end", async () => {
  const { stdout } = await promisify(execFile)("tar", ["-tzf", file]);
  const names = stdout.trim().split("\n");
  expect([names[0], names.at(-1)]).toEqual(["master-key", "manifest.mac"]);
  expect(names.some((name) => /^tables\/\d+-notification\/000000\.copy$/.test(name))).toBe(true);
});

it("only its owner may read it, and it never takes another file's place", async () => {
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const before = await readFile(file);
  await expect(backUp(world.sql, file)).rejects.toThrow(`${file} is there already: name another file, or remove it`);
  expect(await readFile(file)).toEqual(before);
  await expect(backUp(world.sql, "/proc/none/x.tar.gz")).rejects.toThrow(/cannot be written/);
});

describe("before anything is touched, it is refused", () => {
  const refusal = async (bytes: Buffer): Promise<string> => {
    await using target = await emptyDatabase();
    const damaged = folder.file();
    await writeFile(damaged, bytes);
    const message = await restore(target.owner, damaged).then(
      () => "restored",
      (error: Error) => error.message.replace(damaged, "FILE"),
    );
    expect(await tablesIn(target.owner)).toBe(0);
    return message;
  };
  const plain = async (): Promise<Buffer> => gunzipSync(await readFile(file));
  const changed = async (what: string, into: string): Promise<Buffer> => {
    const bytes = await plain();
    const at = bytes.indexOf(what);
    expect(at).toBeGreaterThan(0);
    bytes.write(into, at);
    return gzipSync(bytes);
  };

  it("when it is cut off, wherever", async () => {
    const whole = await readFile(file);
    for (const part of [0, 0.3, 0.9, 0.999]) {
      expect(await refusal(whole.subarray(0, Math.floor(whole.length * part)))).toMatch(
        /^FILE is no (whole backup|backup of this program)/,
      );
    }
    const tar = await plain();
    expect(await refusal(gzipSync(tar.subarray(0, tar.indexOf("order_created\t"))))).toMatch(
      /^FILE is no whole backup \(Unexpected end of data\)/,
    );
  });

  it("when a byte of it is another", async () => {
    const [bytes, whole] = [await readFile(file), await plain()];
    const isWhole = (): boolean => {
      try {
        return gunzipSync(bytes).equals(whole);
      } catch {
        return false;
      }
    };
    // A flipped bit of a compressed file may leave its content as it was; then the next one is flipped too.
    for (let at = Math.floor(bytes.length / 2); isWhole(); at += 1) bytes[at] = (bytes[at] ?? 0) ^ 1;
    expect(await refusal(bytes)).toMatch(/^FILE (is no whole backup|was changed or damaged)/);
    expect(await refusal(await changed("order_created\t", "order_crEated\t"))).toMatch(
      /^FILE was changed or damaged since it was made \(tables\/\d+-/,
    );
  });

  it("when it is something else, or of a newer version", async () => {
    expect(await refusal(Buffer.from("hello"))).toMatch(/^FILE is no whole backup/);
    expect(await refusal(gzipSync(Buffer.alloc(2048)))).toBe("FILE is no backup of this program");
    expect(await refusal(await changed('"version": 2', '"version": 3'))).toBe("FILE was made by a newer version: restore it with that one");
    const text = (await plain()).toString("latin1");
    const [, checksum = ""] = /"number": 1,\s+"name": "0001_core.sql",\s+"checksum": "([0-9a-f]+)"/.exec(text) ?? [];
    expect(await refusal(await changed(checksum, "0".repeat(64)))).toMatch(
      /^the backup is of a database at migration 0001_core\.sql, which has another content here/,
    );
    await expect(verifyBackup("/none.tar.gz")).rejects.toThrow("/none.tar.gz is not there: name a file that npm run backup has made");
  });

  it("when there is data already", async () => {
    await using target = await testDatabase();
    const { manifest } = await verifyBackup(file);
    await requireEmpty(target.sql, manifest, "DATA_DIR here");
    await target.sql`insert into account (id, name, verify_token) values (gen_random_uuid(), 'A', 'v')`;
    await expect(requireEmpty(target.sql, manifest, "DATA_DIR here")).rejects.toThrow(
      "DATA_DIR here holds data already (in account): restore into another one; nothing was changed",
    );
  });
});
