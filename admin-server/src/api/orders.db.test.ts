import { orderId } from "shared/db/ids";
import { readRowCodec } from "shared/sealing/account-rows";
import { plainRows, type RowCodec } from "shared/secrets/row-codec";
import { describe, expect, test } from "vitest";
import { idAt, insertEvent, insertNotification } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

/** An order with two events: the first one's message was delivered, the second one's failed and was sent again. */
async function openOrder() {
  const account = await resources.account();
  const { site } = await account.api.sites.create({ name: "Shop", url: "https://shop.example", sourceType: "generic" });
  const id = orderId(site.id, { kind: "id", value: "10042" });
  const { sql } = resources;
  const [paid, shipped] = [idAt("2026-03-01T10:00:00Z"), idAt("2026-03-02T10:00:00Z")];
  await sql`
    insert into customer_order (id, site_id, external_id, number, status, total, currency, last_event_id)
    values (${id}, ${site.id}, '10042', '#42', 'shipped', '49.90', 'USD', ${shipped})`;
  await insertEvent(sql, site.id, { id: shipped, order_id: id, name: "order.shipped" });
  await insertEvent(sql, site.id, { id: paid, order_id: id, name: "order.paid" });
  await insertEvent(sql, site.id, { id: idAt("2026-03-01T11:00:00Z") });
  const at = (eventId: string) => ({ accountId: account.accountId, siteId: site.id, eventId });
  const time = (text: string) => new Date(text);
  const first = await insertNotification(sql, at(paid), {
    id: idAt("2026-03-01T10:00:00.002Z"),
    status: "delivered",
    sent_at: time("2026-03-01T10:00:01Z"),
    delivered_at: time("2026-03-02T12:00:00Z"),
  });
  const failed = await insertNotification(sql, at(shipped), {
    id: idAt("2026-03-02T10:00:00.002Z"),
    status: "failed",
    failed_at: time("2026-03-02T10:00:01Z"),
  });
  const again = await insertNotification(sql, at(shipped), {
    id: idAt("2026-03-03T08:00:00Z"),
    resend_of: failed,
    sent_at: time("2026-03-03T08:00:01Z"),
  });
  return { ...account, siteId: site.id, id, paid, shipped, first, failed, again };
}

describe("orders.timeline", () => {
  test("tells everything that happened for one order, in the order in which it did", async () => {
    const { api, siteId, id, paid, shipped, first, failed, again } = await openOrder();
    const { order, entries, truncated } = await api.orders.timeline({ id });
    expect(order).toMatchObject({ id, siteId, externalId: "10042", number: "#42", status: "shipped", total: "49.90", currency: "USD" });
    expect(truncated).toBe(false);
    const told = entries.map((entry) => [entry.at, entry.what, entry.kind === "event" ? entry.event.id : entry.message.id]);
    expect(told).toEqual([
      ["2026-03-01T10:00:00.000Z", "received", paid],
      ["2026-03-01T10:00:00.002Z", "made", first],
      ["2026-03-01T10:00:01.000Z", "sent", first],
      ["2026-03-02T10:00:00.000Z", "received", shipped],
      ["2026-03-02T10:00:00.002Z", "made", failed],
      ["2026-03-02T10:00:01.000Z", "failed", failed],
      ["2026-03-02T12:00:00.000Z", "delivered", first],
      ["2026-03-03T08:00:00.000Z", "made", again],
      ["2026-03-03T08:00:01.000Z", "sent", again],
    ]);
    const failure = entries.find(({ what }) => what === "failed");
    expect(failure).toMatchObject({ error: { code: "131026", explanation: { text: expect.stringContaining("WhatsApp") } } });
    expect(entries.at(-1)).toMatchObject({ message: { resendOf: failed } });
  });

  test("shows no step before the one that it follows, although the platform tells times to the second", async () => {
    const { api, accountId, siteId, id } = await openOrder();
    const eventId = await insertEvent(resources.sql, siteId, { id: idAt("2026-03-05T10:00:00.700Z"), order_id: id });
    const early = new Date("2026-03-05T10:00:00Z");
    const status = { status: "read", sent_at: new Date("2026-03-05T10:00:00.900Z"), delivered_at: early, read_at: early };
    await insertNotification(resources.sql, { accountId, siteId, eventId }, { id: idAt("2026-03-05T10:00:00.702Z"), ...status });
    const { entries } = await api.orders.timeline({ id });
    expect(entries.slice(-5).map(({ at, what }) => [at.slice(17), what])).toEqual(
      data("admin-server-api-orders", "shows no step before the one that it follows, although the p"),
    );
  });

  test("finds the order by what its site calls it: its id, else its number", async () => {
    const { api, siteId, id } = await openOrder();
    expect((await api.orders.timeline({ siteId, reference: " 10042 " })).order.id).toBe(id);
    const number = orderId(siteId, { kind: "number", value: "7" });
    await resources.sql`insert into customer_order (id, site_id, number, last_event_id) values (${number}, ${siteId}, '7', ${id})`;
    expect(await api.orders.timeline({ siteId, reference: "7" })).toMatchObject({ order: { id: number, number: "7" }, entries: [] });
    await expect(api.orders.timeline({ siteId, reference: "8" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  /** An order as its site's events name it. */
  async function addOrder(siteId: string, { id, number }: { id?: string; number: string }, at: string, rows: RowCodec = plainRows) {
    const ours = orderId(siteId, id === undefined ? { kind: "number", value: number } : { kind: "id", value: id });
    await resources.sql`
      insert into customer_order (id, site_id, external_id, number, last_event_id, updated_at)
      values (${ours}, ${siteId}, ${rows.seal(id ?? null, "customer_order.external_id", ours)}, ${rows.conceal(number, "customer_order.number")}, ${idAt(at)}, ${at}::timestamptz)`;
    return ours;
  }

  test("finds the order by its number when it has an id too, and says which other orders are called the same", async () => {
    const { api, as, siteId, id } = await openOrder();
    const byNumber = async (reference: string, of = siteId) => {
      const { order, others } = await api.orders.timeline({ siteId: of, reference });
      return [order.id, ...others.map((other) => other.id)];
    };
    expect(await byNumber("#42")).toEqual([id]);
    expect((await api.orders.timeline({ id })).others).toEqual([]);
    const second = await addOrder(siteId, { id: "2", number: "77" }, "2026-03-01");
    const first = await addOrder(siteId, { id: "77", number: "1" }, "2026-02-01");
    const third = await addOrder(siteId, { number: "77" }, "2026-03-02");
    // The one with that id, then those with that number, the one that changed last first.
    expect(await byNumber("77")).toEqual([first, third, second]);
    // A shop writes the number with a sign that its events leave out.
    expect(await byNumber("#77")).toEqual([third, second]);
    expect((await as("viewer").orders.timeline({ siteId, reference: "77" })).others).toEqual([
      { id: third, externalId: null, number: "77" },
      { id: second, externalId: "2", number: "77" },
    ]);
    const elsewhere = (await api.sites.create({ name: "Shop", url: "https://shop.example", sourceType: "generic" })).site.id;
    await expect(byNumber("77", elsewhere)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const stranger = await resources.account();
    await expect(stranger.api.orders.timeline({ siteId, reference: "77" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    const long = "9".repeat(400);
    const longest = await addOrder(siteId, { id: "3", number: long }, "2026-03-01");
    expect(await byNumber(long)).toEqual([longest]);
  });

  test("finds an encrypted number, and one from before the switch", async () => {
    const { api, as, accountId, siteId, id } = await openOrder();
    await as("owner").settings.update({ encryptPayloads: true });
    const rows = await readRowCodec(resources.sql, resources.vault, accountId);
    const sealed = await addOrder(siteId, { id: "5", number: "505" }, "2026-03-01", rows);
    const [row] = await resources.sql<{ number: string }[]>`select number from customer_order where id = ${sealed}`;
    expect(row?.number).toMatch(/^c1\./);
    expect((await api.orders.timeline({ siteId, reference: "505" })).order).toMatchObject({ id: sealed, externalId: "5", number: "505" });
    expect((await api.orders.timeline({ siteId, reference: "#42" })).order.id).toBe(id);
  });

  test("shows the newest of an order with very many events", async () => {
    const { api, siteId, id } = await openOrder();
    for (let n = 0; n < 205; n += 1) await insertEvent(resources.sql, siteId, { id: idAt(Date.UTC(2026, 3, 1) + n), order_id: id });
    const { entries, truncated } = await api.orders.timeline({ id });
    expect([entries.length, truncated]).toEqual([200, true]);
  });
});
