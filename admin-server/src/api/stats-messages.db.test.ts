import fc from "fast-check";
import { countByHour } from "shared/db/notification/hours";
import { countDays } from "shared/db/notification/statistics";
import { inTransaction } from "shared/db/transaction";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idAt, insertNotification } from "../../../test/support/admin-shops.ts";
import { openAdmin, type OpenAdmin, refusal } from "../../../test/support/admin.ts";
import { planOf } from "../../../test/support/database.ts";
import type { MessageCounts } from "./stats.ts";

let admin: OpenAdmin;
beforeAll(async () => {
  admin = await openAdmin();
});
afterAll(async () => admin[Symbol.asyncDispose]());

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const bindings = ["019aa000-0000-7000-8000-00000000000a", "019aa000-0000-7000-8000-00000000000b"] as const;

interface Message {
  at: number;
  site: 0 | 1;
  binding: 0 | 1;
  template: "a" | "b";
  status: "sent" | "delivered" | "read" | "failed" | "queued" | "cancelled";
  sentMs: number;
  deliveredMs: number;
  /** The message was a test, waited for its time, or repeats another one. */
  special: "test" | "waited" | "resend" | null;
}

const start = Math.floor((Date.now() - 5 * dayMs) / dayMs) * dayMs;
const messageArbitrary = fc.record<Message>({
  at: fc.integer({ min: start - hourMs, max: start + 5 * dayMs }),
  site: fc.constantFrom(0, 1),
  binding: fc.constantFrom(0, 1),
  template: fc.constantFrom("a", "b"),
  status: fc.constantFrom("sent", "delivered", "read", "failed", "queued", "cancelled"),
  sentMs: fc.integer({ min: -900, max: 90_000 }),
  deliveredMs: fc.integer({ min: 0, max: 30 * dayMs }),
  special: fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, fc.constantFrom("test" as const, "waited" as const, "resend" as const)),
});

const isSent = ({ status }: Message): boolean => ["sent", "delivered", "read"].includes(status);
const isDelivered = ({ status }: Message): boolean => ["delivered", "read"].includes(status);

/** Counts the log as a person would. */
function model(all: readonly Message[]): MessageCounts {
  const percentiles = (times: number[]) => {
    if (times.length === 0) return null;
    const sorted = times.map((ms) => Math.max(1, ms)).toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
    return { p50: at(0.5), p95: at(0.95) };
  };
  const plain = all.filter(({ special }) => special === null);
  return {
    total: all.length,
    sent: all.filter(isSent).length,
    delivered: all.filter(isDelivered).length,
    read: all.filter(({ status }) => status === "read").length,
    failed: all.filter(({ status }) => status === "failed").length,
    sentMs: percentiles(plain.filter(isSent).map(({ sentMs }) => sentMs)),
    deliveredMs: percentiles(plain.filter(isDelivered).map(({ deliveredMs }) => deliveredMs)),
  };
}

/** Expects exact counts, and times that are too long by a tenth at most. */
function expectCounts(found: MessageCounts | undefined, expected: MessageCounts, what: string): void {
  const { sentMs, deliveredMs, ...counts } = expected;
  expect([what, found]).toMatchObject([what, counts]);
  for (const [name, times] of [
    ["sentMs", sentMs],
    ["deliveredMs", deliveredMs],
  ] as const) {
    const answered = found?.[name] ?? null;
    expect([what, name, answered === null]).toEqual([what, name, times === null]);
    for (const share of ["p50", "p95"] as const) {
      if (times === null || answered === null) continue;
      expect(answered[share]).toBeGreaterThanOrEqual(Math.floor(times[share]));
      expect(answered[share]).toBeLessThanOrEqual(Math.ceil(times[share] * 1.1) + 1);
    }
  }
}

async function openLog(timezone: string) {
  const owner = await admin.signUp();
  const { client } = owner;
  const accountId = (await client.auth.me.query()).account.id;
  await client.settings.update.mutate({ timezone });
  const addSite = async (name: string) =>
    (await client.sites.create.mutate({ name, url: "https://shop.example", sourceType: "generic" })).site.id;
  const sites = [await addSite("A"), await addSite("B")] as const;
  const add = async ({ at, site, binding, template, status, sentMs, deliveredMs, special }: Message): Promise<void> => {
    const eventId = idAt(at);
    await insertNotification(
      admin.sql,
      { accountId, siteId: sites[site], eventId },
      {
        id: idAt(at),
        binding_id: bindings[binding],
        template,
        status,
        sent_at: isSent({ status } as Message) ? new Date(at + sentMs) : null,
        delivered_at: isDelivered({ status } as Message) ? new Date(at + deliveredMs) : null,
        test: special === "test",
        due_at: special === "waited" ? new Date(at) : null,
        resend_of: special === "resend" ? eventId : null,
      },
    );
  };
  const count = async (): Promise<void> => {
    for (const siteId of sites) while (await inTransaction(admin.sql, (sql) => countDays(sql, siteId)));
  };
  return { client, token: owner.token, accountId, sites, add, count };
}

describe("stats.messages", () => {
  it.each(["UTC", "America/New_York"])("says what the log says, counted or not (%s)", async (timezone) => {
    const { client, sites, add, count } = await openLog(timezone);
    const messages = fc.sample(messageArbitrary, { numRuns: 300, seed: timezone.length });
    for (const message of messages) await add(message);
    const local = (at: number, part: "hour" | "day"): string =>
      part === "hour"
        ? String(Number(new Intl.DateTimeFormat("en-US", { timeZone: timezone, hourCycle: "h23", hour: "numeric" }).format(at)))
        : new Intl.DateTimeFormat("sv-SE", { timeZone: timezone }).format(at);
    for (const isCounted of [false, true]) {
      if (isCounted) await count();
      for (const [siteId, from, to] of [
        [undefined, start - dayMs, start + 6 * dayMs],
        [sites[0], start + 5 * hourMs, start + 3 * dayMs + 7 * hourMs],
      ] as const) {
        const span = { siteId, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
        const own = messages.filter(
          ({ at, site, special }) => special !== "test" && at >= from && at < to && (siteId === undefined || sites[site] === siteId),
        );
        const found = await client.stats.messages.query(span);
        expectCounts(found.total, model(own), "total");
        for (const [index, id] of sites.entries())
          if (siteId === undefined || siteId === id)
            expectCounts(
              found.sites.find((each) => each.siteId === id),
              model(own.filter(({ site }) => site === index)),
              "site",
            );
        for (const [index, id] of bindings.entries())
          expectCounts(
            found.bindings.find((each) => each.bindingId === id),
            model(own.filter(({ binding }) => binding === index)),
            "binding",
          );
        for (const template of ["a", "b"])
          expectCounts(
            found.templates.find((each) => each.template === template),
            model(own.filter((each) => each.template === template)),
            template,
          );
        for (const { hour, ...counts } of found.hours)
          expectCounts(counts, model(own.filter(({ at }) => local(at, "hour") === String(hour))), `${hour}:00`);
        expect(found.days.map(({ date }) => date)).toEqual([...new Set(own.map(({ at }) => local(at, "day")))].toSorted());
        for (const { date, ...counts } of found.days) expectCounts(counts, model(own.filter(({ at }) => local(at, "day") === date)), date);
      }
    }
    expect((await admin.sql`select from notification_hour where site_id = any(${[...sites]}::uuid[])`).length).toBeGreaterThan(50);
  });

  it("is a file too, and looks at no more than a quarter at once", async () => {
    const { client, token, sites, add } = await openLog("UTC");
    await add({ at: start, site: 0, binding: 0, template: "a", status: "sent", sentMs: 2_000, deliveredMs: 0, special: null });
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
      "by,name,messages,sent,delivered,read,failed,sent_p50_ms,sent_p95_ms,delivered_p50_ms,delivered_p95_ms",
      "all,,1,1,0,0,0,2048,2048,,",
    ]);
    expect(lines.filter((line) => line.startsWith("hour,"))).toHaveLength(24);
    expect((await admin.fetch(`/export/statistics.csv?${query}&sites=x`, { headers: { authorization } })).status).toBe(400);
    const tooLong = { from: "2026-01-01", to: "2026-06-01" };
    expect((await refusal(client.stats.messages.query(tooLong))).message).toContain("92 days");
  });
});

it("reads no more of a long log than its span", async () => {
  const { sites, accountId, add } = await openLog("UTC");
  await add({ at: start, site: 0, binding: 0, template: "a", status: "sent", sentMs: 1, deliveredMs: 0, special: null });
  await admin.sql`
    insert into notification (id, site_id, account_id, event_id, binding_id, template_id, template, language, to_phone, position, status, components)
    select (left(uuid_at(now() - n * interval '1 minute')::text, 24) || lpad(n::text, 12, '0'))::uuid, site_id, account_id, event_id, binding_id, template_id,
      template, language, to_phone, position, status, components
    from notification cross join generate_series(1, 5000) n where site_id = ${sites[0]}`;
  await admin.owner`analyze notification`;
  const span = { accountId, siteId: null, from: new Date(Date.now() - hourMs), to: new Date(), timezone: "UTC" };
  const plan = await planOf(admin.sql, countByHour(admin.sql, span) as never);
  expect(plan.scanned.filter((table) => table.startsWith("notification"))).toEqual([]);
  expect(plan.rowsRead).toBeLessThan(500);
});
