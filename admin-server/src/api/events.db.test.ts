import { describe, expect, test } from "vitest";
import { addSite, idAt, insertEvent } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

const missing = "019aa000-0000-7000-8000-000000000001";

async function openLog() {
  const account = await resources.account();
  const [one, two] = [await addSite(account.api), await addSite(account.api)];
  const ids = async (input: Parameters<typeof account.api.events.list>[0]) =>
    (await account.api.events.list(input)).items.map((item) => item.id);
  return { ...account, one, two, ids };
}

describe("events.list", () => {
  test("shows what is known of an event, but for the payload", async () => {
    const { api, one } = await openLog();
    const id = idAt("2026-11-20T08:00:00.123Z");
    const order_id = "019aa000-0000-7000-8000-0000000000aa";
    const columns = {
      id,
      order_id,
      source: "shop-1",
      idempotency_key: "k1",
      bindings_run: 2,
      recipients_sent: 3,
      recipients_failed: 1,
      chat: "partial",
    };
    await insertEvent(resources.sql, one, columns);
    expect((await api.events.list()).items).toEqual([
      { id, siteId: one, orderId: order_id, ...data<object>("admin-server-api-events", "what is known of an event") },
    ]);
  });

  test("bounds the time; both ends belong to it, of a day all", async () => {
    const { one, ids } = await openLog();
    const at = ["2026-03-01T23:59:59.999Z", "2026-03-02T00:00:00.000Z", "2026-03-02T23:59:59.999Z", "2026-03-03T00:00:00.000Z"];
    const made: string[] = [];
    for (const time of at) made.push(await insertEvent(resources.sql, one, { id: idAt(time) }));
    const [first, second, third, fourth] = made;
    expect(await ids({ from: "2026-03-02", to: "2026-03-02" })).toEqual([third, second]);
    expect(await ids({ from: at[1], to: at[2] })).toEqual([third, second]);
    expect(await ids({ from: "2026-03-02T01:00:00+01:00" })).toEqual([fourth, third, second]);
    expect(await ids({ to: "2026-03-01T23:59:59.998Z" })).toEqual([]);
    expect(await ids({ to: "2026-03-01T23:59:59.999Z" })).toEqual([first]);
    expect(await ids({ from: "9999-12-31T23:59:59Z" })).toEqual([]);
    expect(await ids({ from: "0001-01-01T00:00:00Z" })).toHaveLength(4);
    expect(await ids({ from: "2026-03-03", to: "2026-03-02" })).toEqual([]);
  });
});

describe("events.get", () => {
  test("adds the payload, the text that was received", async () => {
    const { api, one } = await openLog();
    const payload = '{ "b": 1e400,\n "a": "\\u0000\\ud800" , "n": 12345678901234567890}';
    const id = await insertEvent(resources.sql, one, { payload, chat: null });
    const { event } = await api.events.get({ id });
    expect(event).toMatchObject({ id, payload, chat: null });
    expect((await api.events.list()).items[0]).not.toHaveProperty("payload");
  });

  test("finds an event of a deleted site, and none of another account", async () => {
    const { api, one } = await openLog();
    const stranger = await resources.account();
    const id = await insertEvent(resources.sql, one);
    await api.sites.delete({ id: one });
    expect((await api.events.get({ id })).event.id).toBe(id);
    for (const other of [id, missing]) await expect(stranger.api.events.get({ id: other })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(stranger.api.events.list({ siteId: one })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect((await stranger.api.events.list()).items).toEqual([]);
  });
});
