import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addMember } from "../../../../test/support/admin/add-member.ts";
import { idAt, insertEvent, insertNotification } from "../../../../test/support/admin/log-rows.ts";
import { openAdmin, type OpenAdmin } from "../../../../test/support/admin/open-admin.ts";

const header =
  "id,time,site,event,event_id,template,language,phone,status,message_id,error_code,error_reason,sent,delivered,read,failed,resend_of";

describe("GET /export/notifications.csv", () => {
  let admin: OpenAdmin;
  beforeAll(async () => {
    admin = await openAdmin();
  });
  afterAll(async () => admin[Symbol.asyncDispose]());

  async function openLog() {
    const owner = await admin.signUp();
    const accountId = (await owner.client.auth.me.query()).account.id;
    const { site } = await owner.client.sites.create.mutate({ name: "A", url: "https://shop.example", sourceType: "generic" });
    const eventId = await insertEvent(admin.sql, site.id);
    const add = async (columns: Parameters<typeof insertNotification>[2]) =>
      insertNotification(admin.sql, { accountId, siteId: site.id, eventId }, columns);
    const get = (query = "", token = owner.token) =>
      admin.fetch(`/export/notifications.csv${query}`, { headers: { authorization: `Bearer ${token}` } });
    const lines = async (query = "", token = owner.token) => (await (await get(query, token)).text()).trimEnd().split("\n");
    return { ...owner, accountId, siteId: site.id, eventId, add, get, lines };
  }

  it("is the log as a file", async () => {
    const { siteId, eventId, add, get } = await openLog();
    const id = idAt("2026-03-01T10:00:00Z");
    const failed_at = new Date("2026-03-01T10:00:02Z");
    await add({ id, status: "failed", error_code: "131026", error_reason: '=1+1, "so"', failed_at });
    const answer = await get();
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="notifications.csv"');
    expect(await answer.text()).toBe(
      `${header}\n${id},2026-03-01T10:00:00.000Z,${siteId},order.created,${eventId},order_created,en,'+491701234567,failed,,131026,"'=1+1, ""so""",,,,2026-03-01T10:00:02.000Z,\n`,
    );
  });

  it("takes the list's filters, and is all of it however long it is", async () => {
    const { accountId, siteId, eventId, lines } = await openLog();
    await admin.sql`
      insert into notification (id, site_id, account_id, event_id, event, binding_id, template_id, template, language, to_phone, position, status, components, error_code)
      select encode(substring(uuid_send(uuid_at(timestamptz '2026-01-01' + n * interval '1 minute')) for 8) || int8send(n), 'hex')::uuid, ${siteId}, ${accountId},
        ${eventId}, 'order.created', ${siteId}, ${siteId}, 't' || n % 2, 'en', '+4917' || 1000000 + n % 10, 0,
        case when n % 5 = 0 then 'failed' else 'sent' end::notification_status, '[]', case when n % 5 = 0 then '131026' end
      from generate_series(1, 1700::bigint) n`;
    const rows = async (query: string) => (await lines(query)).slice(1);
    const all = await rows("");
    expect(new Set(all).size).toBe(1700);
    expect(all.map((line) => line.slice(0, 36))).toEqual(
      all
        .map((line) => line.slice(0, 36))
        .toSorted()
        .toReversed(),
    );
    expect(await rows("?status=failed")).toHaveLength(340);
    expect(await rows("?template=t1&status=failed")).toHaveLength(170);
    expect(await rows(`?search=${encodeURIComponent("+49171000003")}&event=order.created&siteId=${siteId}`)).toHaveLength(170);
    expect(await rows("?from=2026-01-01T00:01:00Z&to=2026-01-01T00:03:00Z&status=")).toHaveLength(3);
    expect(await rows("?errorCode=131049")).toEqual([]);
  });

  it("is for everybody who is signed in, with phones masked for those who only look", async () => {
    const { client, add, get, lines, siteId } = await openLog();
    await add({ error_code: "131026", status: "failed", error_reason: "to +491701234567" });
    const viewer = await addMember(admin, client, "viewer", "viewer@example.com");
    const seen = (await lines("", viewer.token)).join("\n");
    expect(seen).toContain("•••67");
    expect(seen).not.toContain("1701234567");
    const stranger = await openLog();
    expect([
      (await admin.fetch("/export/notifications.csv")).status,
      (await get("?phone=%2B491701234567", viewer.token)).status,
      (await get("?search=%2B491701234567", viewer.token)).status,
      (await get("?status=lost")).status,
      (await get(`?siteId=${siteId}`, stranger.token)).status,
      (await get("", stranger.token)).status,
    ]).toEqual([401, 403, 403, 400, 404, 200]);
    expect(await lines("", stranger.token)).toEqual([header]);
  });
});
