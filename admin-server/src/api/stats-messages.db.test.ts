import { countByHour } from "shared/db/notification/hours";
import { countRecent, findBusySites } from "shared/db/notification/recent";
import { countDays } from "shared/db/notification/statistics";
import { inTransaction } from "shared/db/statement";
import { expect, it } from "vitest";
import { copyNotification, idAt, insertNotification } from "../../../test/support/admin-shops.ts";
import { addMember, openAdmin, refusal } from "../../../test/support/admin.ts";
import { planOf } from "../../../test/support/database.ts";
import { shared } from "../../../test/support/shared.ts";

const admin = shared(async () => openAdmin());

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const start = Math.floor((Date.now() - 5 * dayMs) / dayMs) * dayMs;

/** An account with two sites, the first of which has sent a message within two seconds. */
async function openLog() {
  const { client, token } = await admin.signUp();
  const accountId = (await client.auth.me.query()).account.id;
  await client.settings.update.mutate({ timezone: "UTC" });
  const addSite = async (name: string) =>
    (await client.sites.create.mutate({ name, url: "https://shop.example", sourceType: "generic" })).site.id;
  const sites = [await addSite("A"), await addSite("B")] as const;
  await insertNotification(
    admin.sql,
    { accountId, siteId: sites[0], eventId: idAt(start) },
    { id: idAt(start), status: "sent", sent_at: new Date(start + 2_000) },
  );
  return { client, token, accountId, sites };
}

it("names sites by their whole ids to viewers too, though digits in a row look like a phone", async () => {
  const { client, accountId, sites } = await openLog();
  const siteId = "01a21dc3-2520-7034-9b0d-a6001b04b943";
  await admin.sql`
    insert into site (id, account_id, name, url, source_type, inbound_token)
    values (${siteId}, ${accountId}, 'Digits', 'https://shop.example', 'generic', ${siteId})`;
  await insertNotification(admin.sql, { accountId, siteId, eventId: idAt(start + 1) }, { id: idAt(start + 1), status: "failed" });
  const span = { from: new Date(start).toISOString(), to: new Date(start + dayMs).toISOString() };
  const viewer = await addMember(admin, client, "viewer", "viewer@stats.example");
  const stats = await viewer.client.stats.messages.query(span);
  expect(stats.sites.map((site) => site.siteId).toSorted()).toEqual([siteId, sites[0]].toSorted());
});

it("is a file too, and looks at no more than a quarter at once", async () => {
  const { client, token, sites } = await openLog();
  const span = { from: new Date(start).toISOString(), to: new Date(start + dayMs).toISOString() };
  expect(await client.stats.messages.query({ ...span, siteId: sites[1] })).toMatchObject({
    total: { total: 0, sentMs: null },
    bindings: [],
    days: [],
  });
  const [authorization, query] = [`Bearer ${token}`, new URLSearchParams(span).toString()];
  const file = await admin.fetch(`/export/statistics.csv?${query}`, { headers: { authorization } });
  const lines = (await file.text()).trim().split(/\r?\n/u);
  expect([lines[0], lines[1]]).toEqual([
    "by,name,messages,sent,delivered,read,failed,sent_p50_ms,sent_p95_ms,delivered_p50_ms,delivered_p95_ms,site_name,id",
    "all,,1,1,0,0,0,2048,2048,,,,",
  ]);
  expect(lines.filter((line) => line.startsWith("hour,"))).toHaveLength(24);
  expect((await admin.fetch(`/export/statistics.csv?${query}&sites=x`, { headers: { authorization } })).status).toBe(400);
  const tooLong = { from: "2026-01-01", to: "2026-06-01" };
  expect((await refusal(client.stats.messages.query(tooLong))).message).toContain("92 days");
});

it("reads no more of a long log than its span, and of many messages of the last day next to none", async () => {
  const { sites, accountId } = await openLog();
  await admin.sql`
    insert into notification (id, site_id, account_id, event_id, binding_id, template_id, template, language, to_phone, position, status, components)
    select (left(uuid_at(now() - n * interval '14 seconds')::text, 24) || lpad(n::text, 12, '0'))::uuid, site_id, account_id, event_id, binding_id, template_id,
      template, language, to_phone, position, status, components
    from notification cross join generate_series(1, 6500) n where site_id = ${sites[0]}`;
  await admin.owner`analyze notification`;
  const span = { accountId, siteId: null, from: new Date(Date.now() - hourMs), to: new Date(), timezone: "UTC" };
  const plan = await planOf(admin.sql, countByHour(admin.sql, span) as never);
  expect(plan.scanned.filter((table) => table.startsWith("notification"))).toEqual([]);
  expect(plan.rowsRead).toBeLessThan(500);
  expect(await findBusySites(admin.sql, true)).toEqual([sites[0]]);
  for (const count of [countDays, countRecent]) while (await inTransaction(admin.sql, async (sql) => count(sql, sites[0])));
  for (const from of [20.2, 25.7, 30].map((hours) => new Date(Date.now() - hours * hourMs))) {
    const read = async (exact: boolean) => (await countByHour(admin.sql, { ...span, from, exact })).filter((row) => !row.counted_at);
    expect(new Set(await read(false))).toEqual(new Set(await read(true)));
  }
  expect(
    (await planOf(admin.sql, countByHour(admin.sql, { ...span, from: new Date(Date.now() - 20 * hourMs) }) as never)).rowsRead,
  ).toBeLessThan(500);
});

// The clock is put back on the second day in Berlin, and set forward by half an hour on Lord Howe Island.
it.each([
  ["Europe/Berlin", "2025-10-25", [60, 120]],
  ["Australia/Lord_Howe", "2025-10-04", [90, 150]],
])("reads whole hours from the counts, and all others from the log, in %s", async (timezone, first, hour) => {
  const { sites, accountId } = await openLog();
  const at = (minute: number) => new Date(Date.parse(first) + minute * 60_000);
  await admin.sql`update account set timezone = ${timezone} where id = ${accountId}`;
  const [one, ...others] = Array.from({ length: 200 }, (_, n) => ({ id: idAt(+at(23 * n)), event_id: idAt(+at(23 * n)) }));
  const made = await insertNotification(admin.sql, { accountId, siteId: sites[0], eventId: one?.event_id ?? "" }, { id: one?.id ?? "" });
  await copyNotification(admin.sql, made, others);
  const read = async ([from = 0, to = 0]: readonly number[]) =>
    new Set(await countByHour(admin.sql, { accountId, siteId: sites[0], from: at(from), to: at(to), timezone }));
  const spans = [0, 60, 90, 605, 1_440, 1_530].flatMap((from) => [10, 60, 1_440, 3_000].map((length) => [from, from + length]));
  const readAll = async () => await Promise.all([hour, ...spans].map(read));
  const logged = await readAll();
  const [sent] = await admin.sql`select count(*)::integer from notification where site_id = ${sites[0]} and id < uuid_at(${at(3_000)})`;
  const sumOf = (by: "day" | "hour") => [...(logged[4] ?? [])].reduce((sum, row) => sum + (row[by] === null ? 0 : row.total), 0);
  expect([sumOf("day"), sumOf("hour")]).toEqual([sent?.["count"], sent?.["count"]]);
  while (await inTransaction(admin.sql, async (sql) => countDays(sql, sites[0])));
  expect(await readAll()).toEqual(logged);
  await admin.sql`delete from notification where site_id = ${sites[0]}`;
  expect(await read(hour)).toEqual(logged[0]);
});
