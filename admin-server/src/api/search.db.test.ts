import { findEventWalkEnd, listEvents } from "shared/db/event/log";
import { orderId } from "shared/db/ids";
import { listNotifications } from "shared/db/notification/log";
import { findNotificationWalkEnd } from "shared/db/notification/walk";
import { listOptOuts, type OptOutChange, recordOptOuts } from "shared/db/opt-out";
import { describe, expect, test } from "vitest";
import { idAt, insertEvent, insertNotification, openBoundShop } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { planOf } from "../../../test/support/database.ts";
import { shared } from "../../../test/support/shared.ts";
import { learnToFind } from "../learning/search.ts";

const resources = shared(async () => openResources());

const phone = "+491701234567";
const others = "+491709999999";
const page = { from: null, before: null, limit: 51 };
type As = "viewer" | "operator";

/** A shop with an event that sent a message, one whose phone could not be read, and one of somebody else. */
async function openSearched() {
  const shop = await openBoundShop(resources);
  const { sql, vault } = resources;
  const { siteId, accountId } = shop;
  const order_id = idAt(0);
  const store = (at: number, payload: object, columns = {}) =>
    insertEvent(sql, siteId, { id: idAt(`2026-11-20T08:0${at}:00Z`), payload: JSON.stringify(payload), ...columns });
  const send = (at: number, eventId: string, to_phone: string) =>
    insertNotification(sql, { accountId, siteId, eventId }, { id: idAt(`2026-11-20T08:0${at}:01Z`), to_phone });
  const ada = await store(1, { order: { number: "10042" }, customer: { name: "Ada Lovelace", phone } }, { order_id });
  const dropped = await store(
    2,
    { order: { number: "10043" }, customer: { name: "Ada Byron", phone: "0170 1234567" } },
    { chat: "skipped_no_phone" },
  );
  const grace = await store(3, { order: { number: "10044" }, customer: { name: "Grace" } }, { chat: "no_bindings" });
  const [order] = await sql<{ last: string }[]>`
    insert into customer_order (id, site_id, external_id, number, last_event_id) values (${order_id}, ${siteId}, '774411', '10042', ${ada}) returning id as last`;
  const [message, other] = [await send(1, ada, phone), await send(3, grace, others)];
  await learnToFind({ sql, vault, stopping: new AbortController().signal });
  const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
  const events = async (input: object, role: As = "operator") => idsOf(await shop.as(role).events.list(input));
  const messages = async (input: object, role: As = "operator") => idsOf(await shop.as(role).notifications.list(input));
  return { ...shop, orderId: order?.last ?? "", ada, dropped, grace, message, other, events, messages };
}

describe("a search", () => {
  test("finds events by number, name, phone and its parts, and the messages of these events in the log", async () => {
    const { siteId, orderId, ada, dropped, grace, message, other, events, messages } = await openSearched();
    expect(await events({ search: "ada" })).toEqual([dropped, ada]);
    expect(await events({ search: "ada", outcome: "sent" })).toEqual([ada]);
    expect(await events({ search: "1234567", siteId })).toEqual([dropped, ada]);
    for (const search of [phone, "+49 170 1234567", "10042", orderId, message])
      expect([search, await events({ search })]).toEqual([search, [ada]]);
    for (const search of [phone, "0049 170 1234567", "love", "10042", message, ada, orderId])
      expect([search, await messages({ search })]).toEqual([search, [message]]);
    const beside = { search: `10042 ${phone}` };
    expect([await events(beside), await messages(beside), await messages({ search: `${phone} 10044` })]).toEqual([[ada], [message], []]);
    await resources.sql`insert into site_recipient ${resources.sql({ id: idAt(2), site_id: siteId, phone: others, label: "Anna, sales" })}`;
    const named = { search: "anna, Sales " };
    expect([await messages(named), await messages({ ...named, siteId }), await messages(named, "viewer")]).toEqual([[other], [other], []]);
    expect(await messages({ search: "1004" })).toEqual([other, message]);
    expect(await messages({ search: "1004", status: "failed" })).toEqual([]);
    expect(await messages({ search: "1004", from: "2026-11-20T08:02:00Z" })).toEqual([other]);
    expect(await events({ search: "1004", limit: 2 })).toEqual([grace, dropped]);
    for (const search of ["nobody", "%", "a", "'); drop table site; --", "9".repeat(400)])
      expect([await events({ search }), await messages({ search })]).toEqual([[], []]);
  });

  test("finds an order's events by its whole number or id, however short", async () => {
    const { siteId, accountId, events, messages } = await openSearched();
    const stranger = await openSearched();
    const { sql } = resources;
    const orders = [
      { number: "H1", external_id: null, id: idAt(1) },
      { number: null, external_id: "7", id: orderId(siteId, { kind: "id", value: "7" }) },
    ];
    for (const { id: order_id, ...order } of orders) {
      const eventId = await insertEvent(sql, siteId, { order_id });
      const message = await insertNotification(sql, { accountId, siteId, eventId });
      await sql`insert into customer_order ${sql({ id: order_id, site_id: siteId, last_event_id: eventId, ...order })}`;
      const name = order.number ?? order.external_id ?? "";
      for (const search of [name, `#${name}`, ` ${name} `, name.toLowerCase()])
        expect([search, await events({ search }, "viewer")]).toEqual([search, [eventId]]);
      expect(await messages({ search: name })).toEqual([message]);
      expect(await events({ search: name, to: "2026-11-20T08:09:00Z" })).toEqual([]);
      expect([await events({ search: "H" }), await stranger.events({ search: name })]).toEqual([[], []]);
    }
  });

  test("of somebody else finds nothing, and a viewer finds only by what a viewer sees", async () => {
    const { ada, dropped, message, other, events, messages } = await openSearched();
    const stranger = await openSearched();
    for (const search of ["10042", phone, "ada"]) {
      expect(await stranger.events({ search })).not.toContain(ada);
      expect(await stranger.messages({ search })).not.toContain(message);
    }
    expect([await events({ search: "10042" }, "viewer"), await messages({ search: "1004" }, "viewer")]).toEqual([[ada], [other, message]]);
    expect(await events({ search: "10043" }, "viewer")).toEqual([dropped]);
    for (const search of ["lovelace", "1234567", "491701234567"])
      expect([search, await events({ search }, "viewer"), await messages({ search }, "viewer")]).toEqual([search, [], []]);
    await expect(messages({ search: phone }, "viewer")).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(events({ phone }, "viewer")).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  test("goes on page by page where more is found than is looked through at once", async () => {
    const { api, ada, dropped, grace } = await openSearched();
    const found: string[] = [];
    for (let cursor: string | null = null, pages = 0; pages < 5; pages += 1) {
      const page: Awaited<ReturnType<typeof api.events.list>> = await api.events.list({ search: "1004", limit: 1, cursor });
      found.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    expect(found).toEqual([grace, dropped, ada]);
  });
});

describe("the list of events", () => {
  test("tells the order's number, the recipient and the customer; a viewer sees no person", async () => {
    const { as, ada } = await openSearched();
    const { items } = await as("operator").events.list({ search: "10042" });
    expect(items).toMatchObject([{ id: ada, orderNumber: "10042", recipient: phone, recipients: 1, customer: "Ada Lovelace" }]);
    const seen = await as("viewer").events.list({ search: "10042" });
    expect(seen.items).toMatchObject([{ orderNumber: "10042", recipient: "•••67", recipients: 1, customer: null }]);
  });

  test("is filtered by outcome, of messages that wait too, and says where to go on after a bounded look", async () => {
    const { sql } = resources;
    const { accountId, siteId, dropped, grace, other, events } = await openSearched();
    expect(await events({ outcome: "no_bindings" })).toEqual([grace]);
    expect(await events({ outcome: "skipped_no_phone" })).toEqual([dropped]);
    const early = await insertEvent(sql, siteId, { id: idAt("2026-11-21T08:00:00Z"), chat: "accepted" });
    await insertNotification(sql, { accountId, siteId, eventId: early }, { status: "failed" });
    expect([await events({ outcome: "accepted" }), await events({ outcome: "failed" })]).toEqual([[], [early]]);

    expect(await findEventWalkEnd(sql, accountId, { siteId }, page)).toBeNull();
    expect(await findEventWalkEnd(sql, accountId, {}, page, 1)).toBe(grace);
    expect(await findEventWalkEnd(sql, accountId, {}, { ...page, before: dropped }, 1)).toBeNull();
    expect(await findNotificationWalkEnd(sql, accountId, { status: "read" }, page)).toBeNull();
    expect(await findNotificationWalkEnd(sql, accountId, { bindingId: siteId }, page, 1)).toBe(other);
    expect(await findNotificationWalkEnd(sql, accountId, { status: "failed" }, page, 1)).toBeNull();
    const plan = await planOf(sql, listEvents(sql, accountId, { outcome: "failed" }, { ...page, from: grace }));
    expect(plan.scanned).toEqual([]);
  });
});

test("the statements of a search go by keys, whatever it finds", async () => {
  const [{ sql }, { accountId, ada }] = [resources, await openSearched()];
  const words = { search: [["ada"]], onlyOpen: false, by: "beginnings" as const };
  const found = { phone: [phone], sentAs: [ada], eventIds: [ada], words, orders: [ada] };
  for (const statement of [listNotifications(sql, accountId, { found }, page), listEvents(sql, accountId, { ids: [ada] }, page)])
    expect((await planOf(sql, statement)).scanned).toEqual([]);
});

const optOut = async (accountId: string, change: Partial<OptOutChange> & { phone: string }) => {
  const { vault, sql } = resources;
  const sealing = {
    fingerprint: (text: string) => vault.fingerprint(text),
    sealer: () => Promise.resolve((text: string, at: Parameters<typeof vault.seal>[1]) => vault.seal(text, at)),
  };
  const at = new Date("2026-11-20T09:00:00Z");
  await recordOptOuts(sql, sealing, accountId, [{ scope: "all", source: "keyword", code: null, active: true, at, ...change }]);
};

test("opt-outs are found by phone, name and order, by scope and source: none of another account, and by a viewer none by a phone", async () => {
  const { as, accountId } = await openSearched();
  const other = await openSearched();
  await optOut(accountId, { phone });
  await optOut(accountId, { phone: others, scope: "marketing", source: "preference" });
  await optOut(other.accountId, { phone });
  const phonesOf = async (input: object, shop = { as }) => (await shop.as("operator").optOuts.list(input)).items.map((one) => one.phone);
  for (const search of [phone, "0049 170 1234567", "lovelace", "10042"])
    expect([search, await phonesOf({ search })]).toEqual([search, [phone]]);
  expect([await phonesOf({ search: "ada" }, other), await phonesOf({ search: "grace" }, other)]).toEqual([[phone], []]);
  expect([await phonesOf({ scope: "marketing" }), await phonesOf({ source: "keyword" })]).toEqual([[others], [phone]]);
  expect([await phonesOf({ search: "grace", scope: "all" }), await phonesOf({ search: "grace", phone })]).toEqual([[], []]);
  for (const sought of [{ search: phone }, { phone }])
    await expect(as("viewer").optOuts.list(sought)).rejects.toMatchObject({ code: "FORBIDDEN" });
  expect((await as("viewer").optOuts.list({ search: "lovelace" })).items).toEqual([]);
  const hashes = [resources.vault.fingerprint("one"), resources.vault.fingerprint("other")];
  const list = listOptOuts(resources.sql, accountId, { hashes, source: "keyword" }, { before: null, limit: 51 });
  expect((await planOf(resources.sql, list)).scanned).toEqual([]);
});

describe("customers.timeline", () => {
  test("has everything of one phone by time, and whether it opted out", async () => {
    const { as, accountId, ada, message } = await openSearched();
    await optOut(accountId, { phone });
    const { name, optOuts, entries, truncated, isSearched } = await as("operator").customers.timeline({ phone });
    expect([name, truncated, isSearched]).toEqual(["Ada Lovelace", false, true]);
    expect(optOuts).toMatchObject([{ scope: "all", source: "keyword", since: "2026-11-20T09:00:00.000Z" }]);
    expect(entries).toMatchObject([{ event: { id: ada, orderNumber: "10042" } }, { message: { id: message } }]);
    expect((await as("operator").customers.timeline({ phone: "+15550001111" })).entries).toEqual([]);
    await expect(as("viewer").customers.timeline({ phone })).rejects.toMatchObject({ code: "FORBIDDEN" });
  });
});

test("bindings are found by a field that a variable, condition, recipient or time of theirs uses", async () => {
  const { api, base } = await openBoundShop(resources);
  const make = async (changes: object) => (await api.bindings.create({ ...base, ...changes })).binding.id;
  const mapped = await make({});
  const conditional = await make({
    variableMap: {},
    conditions: { match: "all", rules: [{ path: 'data."odd*_key', op: "eq", value: "order.tracking_number" }] },
  });
  const timed = await make({ variableMap: {}, restartBy: "cart.token", delaySeconds: 60 });
  const found = async (field: string) => (await api.bindings.list({ field })).items.map(({ id }) => id).toSorted();
  expect(await found("order.tracking_number")).toEqual([mapped]);
  expect(await found("tracking")).toEqual([mapped]);
  expect(await found("customer.full_name")).toEqual([mapped]);
  expect(await found('data."odd*')).toEqual([conditional]);
  expect(await found("cart.token")).toEqual([timed]);
  for (const field of ["customer.none", ".*", "eq", "\\", "(", "order.tracking_number\u0027"])
    expect([field, await found(field)]).toEqual([field, []]);
});
