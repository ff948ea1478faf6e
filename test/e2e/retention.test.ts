import { applyRetention } from "admin-server/jobs/jobs";
import { createSandboxClient } from "admin-server/sandbox/client";
import { makePartitions } from "shared/db/migrate";
import { createLogger } from "shared/server/logger";
import { describe, expect, it } from "vitest";
import { openAdminOn } from "../support/admin.ts";
import { data } from "../support/data.ts";
import { masterKey } from "../support/gateway.ts";
import { age, anyPhone, liveThrough, openKeepingWorld, everyTable, searchEverywhere } from "../support/keeping.ts";
import { controlToken } from "../support/sandbox.ts";
import { shared } from "../support/shared.ts";
import { waitFor } from "../support/wait-for.ts";
import { whatBecomes } from "./what-becomes.ts";

const world = shared(openKeepingWorld);

/** Runs the job as one server does when it is due. */
const run = async (): Promise<void> => {
  const { sql, sandboxUrl } = world;
  const context = {
    sql,
    sandbox: createSandboxClient(sandboxUrl, controlToken),
    log: createLogger("test", "silent"),
    stopping: new AbortController().signal,
  };
  await applyRetention(context);
};
const due = async (): Promise<void> => void (await world.sql`update job_turn set due_at = now()`);

it("every table is one of which it is settled what becomes of it", async () => {
  expect((await everyTable(world.sql)).toSorted()).toEqual(Object.keys(whatBecomes).toSorted());
});

it("keeps what waits to be sent, and its event with all that it has", async () => {
  await world.post({ customer: { phone_e164: anyPhone() } });
  await world.settled();
  const [message] = await world.sql<{ id: string; site_id: string; event_id: string }[]>`
    select id, site_id, event_id from notification order by id desc limit 1`;
  if (message === undefined) throw new Error("no message");
  await world.sql`update notification set status = 'scheduled', due_at = now() + interval '300 days' where id = ${message.id}`;
  await world.sql`
    insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
    select site_id, id, account_id, event_id, binding_id, 'digest', due_at, due_at from notification where id = ${message.id}`;
  await age(world.sql, 100);
  await due();
  await run();
  const kept = () =>
    world.sql`
    select e.id from waiting_message w join notification n on n.site_id = w.site_id and n.id = w.id
      join event e on e.site_id = w.site_id and e.id = w.event_id join event_payload p on p.site_id = e.site_id and p.id = e.id`.execute();
  expect(await kept()).toHaveLength(1);
  await world.sql`delete from waiting_message`;
  await due();
  await run();
  expect(await world.sql`select from notification where event_id = ${message.event_id}`).toEqual([]);
});

it("forgets payloads and the log when their time has come, and all that was made of them, and nothing before", async () => {
  const [old, later] = [anyPhone(), anyPhone()];
  await liveThrough(world, old, "oldest");
  await age(world.sql, 30);
  await liveThrough(world, later, "middle");
  await age(world.sql, 10);
  await liveThrough(world, anyPhone(), "newest");
  const places = async (label: string) => await searchEverywhere(world.sql, `\\m${label}\\M`);
  const before = await places("middle");
  expect(await places("oldest")).toEqual(before);
  const tables = new Set(before.map((place) => place.replace(/\.[^.]*$/, "")));
  expect([...tables].filter((table) => ["payload", "log", "follows"].includes(whatBecomes[table] ?? "")).toSorted()).toEqual(
    data<string[]>("test-e2e-retention", "hold a person").toSorted(),
  );

  // The events are forty and ten days old: the defaults keep both.
  await due();
  await run();
  const young = before.filter((place) => !place.startsWith("idempotency."));
  // Deliveries to endpoints are kept for thirty days.
  const kept = young.filter((place) => !place.startsWith("webhook_delivery."));
  expect(await places("oldest")).toEqual(kept);

  await world.owner.settings.update.mutate({ retention: { payloadDays: 20 } });
  await due();
  await run();
  expect(await places("oldest")).toEqual(
    kept.filter((place) => !/^(?:event_kind|event_payload|event_search|refused_request|requested_event)\./u.test(place)),
  );
  expect(await places("middle")).toEqual(young);

  await world.owner.settings.update.mutate({ retention: { logDays: 20 } });
  expect((await world.owner.settings.get.query()).retention).toEqual({ payloadDays: 20, logDays: 20 });
  await due();
  await run();
  const left = kept.filter((place) => whatBecomes[place.replace(/\.[^.]*$/, "")] === "kept");
  expect(await places("oldest")).toEqual(left);
  expect(left).toEqual(["audit_value.content", "saved_view.name", "site_recipient.label"]);
  expect(await places("middle")).toEqual(young);

  // A payload never outlives its event.
  await world.owner.settings.update.mutate({ retention: { payloadDays: 90, logDays: 5 } });
  await due();
  await run();
  expect(await places("middle")).toEqual(left);
  expect((await places("newest")).length).toBeGreaterThan(left.length + 5);
  const counted =
    await world.sql`select (select count(*) from event)::integer as events, (select count(*) from event_payload)::integer as payloads`;
  expect(counted).toEqual([{ events: 5, payloads: 5 }]);
});

it("forgets samples whose payloads are gone, and names that do not come any more", async () => {
  const { sql, siteId, owner } = world;
  const samples = async () => {
    const { fields } = await owner.events.fields.query({ siteId, event: "order.created" });
    return fields.filter(({ sample }) => sample !== null).length;
  };
  expect(await samples()).toBeGreaterThan(5);
  await age(sql, 3);
  await owner.settings.update.mutate({ retention: { payloadDays: 2, logDays: 50 } });
  await due();
  await run();
  expect((await owner.events.fields.query({ siteId, event: "order.created" })).fields.length).toBeGreaterThan(5);
  expect(await samples()).toBe(0);
  await owner.settings.update.mutate({ retention: { logDays: 2 } });
  await due();
  await run();
  expect((await owner.events.names.query({ siteId })).items).toEqual([]);
});

it("lets a deleted site go with the last of its log", async () => {
  const { sql, owner } = world;
  const { site } = await owner.sites.create.mutate({ name: "Gone", url: "https://gone.example", sourceType: "generic" });
  await sql`insert into event (id, site_id, source, name, test, dry_run, bindings_run) values (uuid_at(now()), ${site.id}, 's', 'n', false, false, 0)`;
  await owner.sites.delete.mutate({ id: site.id });
  const there = async () => (await sql`select from site where id = ${site.id}`).length;
  await age(sql, 1);
  await due();
  await run();
  expect(await there()).toBe(1);
  await age(sql, 2);
  await due();
  await run();
  expect(await there()).toBe(0);
});

describe("partitions", () => {
  const partitions = async (parent: string) =>
    (
      await world.sql<
        { name: string }[]
      >`select inhrelid::regclass::text as name from pg_inherits where inhparent = ${parent}::regclass order by 1`
    ).map(({ name }) => name);

  it("are dropped whole once no account keeps what is in them, each kind in its own time", async () => {
    const { sql, owner } = world;
    await makePartitions(sql, new Date(Date.now() - 60 * 86_400_000), 1);
    await makePartitions(sql, new Date(Date.now() - 30 * 86_400_000), 1);
    const all = await partitions("event");
    await owner.settings.update.mutate({ retention: { payloadDays: 20, logDays: 45 } });
    await due();
    await run();
    expect(await partitions("event")).toEqual(all.slice(1));
    expect(await partitions("notification")).toHaveLength(all.length - 1);
    expect(await partitions("event_payload")).toHaveLength(all.length - 2);
    expect(await partitions("event_payload")).toContain("event_payload_default");
  });

  it("wait for another account that keeps them, and for whoever reads them, without holding up events", async () => {
    const { sql, admin, owner } = world;
    await owner.settings.update.mutate({ retention: { logDays: 20 } });
    const other = await admin.signUp();
    const all = await partitions("event");
    await due();
    await run();
    expect(await partitions("event")).toEqual(all);
    await other.client.settings.update.mutate({ retention: { logDays: 20, payloadDays: 20 } });
    await sql.begin(async (reader) => {
      await reader`select count(*) from event`;
      const posted = world.post({ customer: { phone_e164: "+15551234567" } });
      await due();
      await Promise.all([run(), posted]);
      expect((await posted).status).toBe(200);
      expect(await partitions("event")).toEqual(all);
    });
    await due();
    await run();
    expect(await partitions("event")).toHaveLength(all.length - 1);
  });
});

it("is done once, however many servers there are, and taken over from one that died", async () => {
  const {
    sql,
    database: { owner },
  } = world;
  const runs = async (): Promise<number> => {
    const [row] = await sql<[{ n: number }]>`select count(*)::integer as n from turns`;
    return row.n;
  };
  await owner`create table turns (n integer)`;
  await owner`grant select, insert on turns to public`;
  await owner`create function count_turn() returns trigger language plpgsql as $$ begin insert into turns values (1); return null; end $$`;
  await owner`create trigger counted after update on job_turn for each row when (old.owner is null and new.owner is not null) execute function count_turn()`;
  try {
    await due();
    await Promise.all(Array.from({ length: 6 }, run));
    expect(await runs()).toBe(1);
    await run();
    expect(await runs()).toBe(1);
    await sql`update job_turn set due_at = now(), owner = gen_random_uuid(), lease_until = now() + interval '1 hour'`;
    const dead = await sql`select owner from job_turn`;
    await run();
    expect(await sql`select owner from job_turn`).toEqual(dead);
    await sql`update job_turn set lease_until = now()`;
    await run();
    expect(await sql`select owner, due_at > now() + interval '59 minutes' as later from job_turn`).toEqual([{ owner: null, later: true }]);
  } finally {
    await owner`drop trigger counted on job_turn`;
    await owner`drop function count_turn`;
    await owner`drop table turns`;
  }
});

it("is what running servers do by themselves", async () => {
  const { sql, siteId, databaseUrl } = world;
  await sql`insert into event (id, site_id, source, name, test, dry_run, bindings_run) values (uuid_at(now() - interval '400 days'), ${siteId}, 's', 'old', false, false, 0)`;
  await due();
  await using first = await openAdminOn(databaseUrl, { masterKey }, { retentionMs: 20 });
  await using second = await openAdminOn(databaseUrl, { masterKey }, { retentionMs: 20 });
  expect(first.url).not.toBe(second.url);
  await waitFor("the old event to be forgotten", async () => (await sql`select from event where name = 'old'`).length === 0);
});
