import { newId } from "shared/db/ids";
import { readRowCodec } from "shared/sealing/account-rows";
import { plainRows } from "shared/secrets/row-codec";
import { describe, expect, test } from "vitest";
import { addSite, idAt, insertEvent, insertNotification } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

async function openLog() {
  const account = await resources.account();
  const siteId = await addSite(account.api);
  const eventId = await insertEvent(resources.sql, siteId);
  const ids = async (input: Parameters<typeof account.api.notifications.list>[0]) =>
    (await account.api.notifications.list(input)).items.map((item) => item.id);
  const add = (columns?: Parameters<typeof insertNotification>[2], at: Partial<{ siteId: string; eventId: string }> = {}) =>
    insertNotification(resources.sql, { accountId: account.accountId, siteId, eventId, ...at }, columns);
  return { ...account, siteId, eventId, ids, add };
}

describe("notifications.list", () => {
  test("shows what became of a message", async () => {
    const { api, siteId, eventId, add } = await openLog();
    const id = idAt("2026-11-20T08:00:00.123Z");
    const sent_at = new Date("2026-11-20T08:00:01Z");
    const failed_at = new Date("2026-11-20T08:00:02.5Z");
    await add({
      id,
      status: "failed",
      wa_message_id: "wamid.1",
      error_code: "131026",
      error_reason: "Message undeliverable",
      error_detail: JSON.stringify([{ code: 131026, title: "Undeliverable", error_data: { details: "Not on it." } }]),
      sent_at,
      failed_at,
    });
    expect((await api.notifications.list()).items).toEqual([
      {
        id,
        eventId,
        siteId,
        explanation: { text: expect.stringMatching(/not on WhatsApp/), action: expect.stringMatching(/^Resend once/) },
        ...data<object>("admin-server-api-notifications", "what became of a message"),
      },
    ]);
  });

  test("names the customer and the order, from plain and encrypted payloads, as far as they are kept", async () => {
    const { api, as, accountId, siteId, add } = await openLog();
    const addOf = async (customer: object, order: { external_id: string; number: string | null } | null, rows = plainRows) => {
      const [eventId, order_id] = [idAt(Date.now()), newId()];
      const payload = rows.seal(JSON.stringify({ customer }), "event_payload.payload", eventId);
      await insertEvent(resources.sql, siteId, { id: eventId, payload, order_id: order && order_id });
      if (order !== null) {
        const stored = { ...order, number: rows.conceal(order.number, "customer_order.number") };
        await resources.sql`insert into customer_order ${resources.sql({ id: order_id, site_id: siteId, last_event_id: eventId, ...stored })}`;
      }
      return await add({ to_phone: rows.conceal("+491701234567", "notification.to_phone") }, { eventId });
    };
    const named = await addOf({ first_name: "Ada", last_name: "Lovelace" }, { external_id: "7", number: "2026-11116" });
    const unnamed = await addOf({}, { external_id: "8", number: null });
    await as("owner").settings.update({ encryptPayloads: true });
    const sealed = await addOf(
      { name: "Grace" },
      { external_id: "9", number: "0170 1234567" },
      await readRowCodec(resources.sql, resources.vault, accountId),
    );
    const forgotten = await addOf({ name: "Alan" }, null);
    await resources.sql`delete from event_payload where id = (select event_id from notification where id = ${forgotten})`;
    const shown = async (by = api) =>
      (await by.notifications.list()).items.map(({ id, customerName, orderNumber }) => [id, customerName, orderNumber]);
    const each: [id: string, name: string | null, number: string | null][] = [
      [forgotten, null, null],
      [sealed, "Grace", "0170 1234567"],
      [unnamed, null, null],
      [named, "Ada Lovelace", "2026-11116"],
    ];
    // Those of one millisecond have no order but that of their ids.
    const all = each.toSorted(([one], [other]) => (one < other ? 1 : -1));
    expect(await shown()).toEqual(all);
    const masked = (number: string | null) => number?.replace("0170 1234567", "•••67") ?? null;
    expect(await shown(as("viewer"))).toEqual(all.map(([id, name, number]) => [id, name && "•••", masked(number)]));
  });

  test("finds what waits to be sent by the events that are not finished", async () => {
    const { siteId, ids, add } = await openLog();
    const open = await insertEvent(resources.sql, siteId, { chat: null });
    await resources.sql`insert into event_due values (${siteId}, ${open}, now())`;
    const queued = await add({ status: "queued" }, { eventId: open });
    const sending = await add({ status: "sending" }, { eventId: open });
    await add({}, { eventId: open });
    expect(await ids({ status: "queued" })).toEqual([queued]);
    expect(await ids({ status: "sending" })).toEqual([sending]);
  });

  test("pages by template and by event's name over all of their values", async () => {
    const { api, siteId, add } = await openLog();
    const made: { id: string; event: string; template: string }[] = [];
    for (let n = 0; n < 24; n += 1) {
      const [event, template] = [`order.${n % 3}`, `t${n % 4}`];
      made.unshift({ event, template, id: await add({ id: idAt(Date.UTC(2026, 0, 1) + n), event, template }) });
    }
    const pages = async (filter: object): Promise<string[]> => {
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof api.notifications.list>> = await api.notifications.list({
          siteId,
          limit: 3,
          cursor,
          ...filter,
        });
        found.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      return found;
    };
    const those = (belongs: (one: (typeof made)[number]) => boolean) => made.filter(belongs).map(({ id }) => id);
    expect(await pages({ event: "order.1" })).toEqual(those(({ event }) => event === "order.1"));
    expect(await pages({ template: "t2" })).toEqual(those(({ template }) => template === "t2"));
    expect(await pages({ template: "t2", event: "order.0" })).toEqual(
      those(({ event, template }) => event === "order.0" && template === "t2"),
    );
    expect(await pages({ template: "t2", status: "sent" })).toEqual(those(({ template }) => template === "t2"));
  });

  test("says that there is no news of a message once its time is over, and does not invent a status", async () => {
    const { api, accountId, add } = await openLog();
    const template_id = idAt(Date.now());
    await resources.sql`
      insert into template (id, account_id, name, language, category, status, definition)
      values (${template_id}, ${accountId}, 'code', 'en', 'AUTHENTICATION', 'approved', '{}')`;
    const old = new Date(Date.now() - 11 * 60_000);
    const quiet = await add({ template_id, sent_at: old });
    const heard = await add({ template_id, status: "delivered", sent_at: old });
    const young = await add({ sent_at: old });
    const shown = new Map((await api.notifications.list()).items.map(({ id, status, noNews }) => [id, [status, noNews]]));
    expect([quiet, heard, young].map((id) => shown.get(id))).toEqual([
      ["sent", true],
      ["delivered", false],
      ["sent", false],
    ]);
    expect((await api.notifications.get({ id: quiet })).notification).toMatchObject({ status: "sent", noNews: true });
  });

  test("a cursor of the events is none of the messages", async () => {
    const { api, siteId, add } = await openLog();
    await insertEvent(resources.sql, siteId);
    await add();
    const { nextCursor } = await api.events.list({ limit: 1 });
    expect(nextCursor).not.toBeNull();
    await expect(api.notifications.list({ cursor: nextCursor })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });
});

test("notifications.get adds what was sent and the platform's whole error", async () => {
  const { api, add } = await openLog();
  const columns = { components: '[{"type":"body","parameters":[]}]', error_detail: '{"code":131026}', status: "failed" };
  const id = await add(columns);
  const { notification } = await api.notifications.get({ id });
  expect(notification).toMatchObject({ id, components: columns.components, errorDetail: columns.error_detail });
});
