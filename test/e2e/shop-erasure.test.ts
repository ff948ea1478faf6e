import { createAdminClient } from "admin-server/client";
import { optOutKey } from "shared/core/person-key";
import { newId } from "shared/db/ids";
import { placeIn } from "shared/secrets/vault";
import { beforeAll, expect, it } from "vitest";
import { openShopWorld } from "../support/admin-shops.ts";
import { addMember, type AdminClient, callProcedure } from "../support/admin.ts";
import { vault } from "../support/gateway.ts";
import { shared } from "../support/shared.ts";
import { openPostingShop, type PostingShop, postShop } from "../support/shop-requests.ts";
import { shopBody } from "../support/shops/bodies.ts";
import { waitFor } from "../support/wait-for.ts";

const world = shared(() => openShopWorld({}, { erasingTimes: { settleMs: 0, againMs: 100 } }));
let owner: AdminClient;
let accountId: string;
beforeAll(() => {
  owner = world.admins[0]?.client as AdminClient;
  ({ accountId } = world.shop);
});

const openOne = () => openPostingShop(world.sql, "shopify", { accountId, country: "DE" });
const order = (id: number, customer: object) =>
  JSON.stringify({ id, name: `#${id}`, order_number: id, total_price: "1.00", currency: "EUR", customer, line_items: [] });
const redact = (customer: object, orders: number[] = []) =>
  JSON.stringify({ shop_id: 1, shop_domain: "atelier.myshopify.com", customer, orders_to_redact: orders });
const post = async (shop: PostingShop, topic: string, body: string): Promise<void> => {
  const { status } = await postShop(world.gateway, shop, body, { topic });
  expect(status).toBe(200);
};
const kept = async (shop: PostingShop): Promise<string[]> => {
  const rows = await world.sql<{ number: string }[]>`
    select payload::json->'order'->>'number' as number from event_payload where site_id = ${shop.siteId} order by id`;
  return rows.map(({ number }) => number);
};
const requests = async (shop: PostingShop) =>
  (await owner.people.erasureRequests.query()).items.filter(({ siteId }) => siteId === shop.siteId);
const done = (shop: PostingShop) =>
  waitFor("the request to be done", async () => {
    const [request] = await requests(shop);
    return request?.state === "done" && request;
  });
const age = () => world.sql`update user_session set proven_at = now() - interval '11 minutes'`;
const prove = () => world.sql`update user_session set proven_at = now()`;

it("an operator cannot erase a person of the account by a secret of their own: no site without a proof, and another site keeps its data", async () => {
  const [url, phone] = [world.admins[0]?.url ?? "", "+4917612345601"];
  const other = await openOne();
  await post(other, "orders/create", order(1, { phone }));
  const operator = await addMember({ client: (token) => createAdminClient({ url, token }) }, owner, "operator", "op@example.com");
  await age();
  const input = { name: "Mine", url: "https://mine.example", sourceType: "shopify", sourceSecret: "shpss_chosen_by_me" };
  const refused = await callProcedure({ url }, "sites.create", input, operator.token);
  expect(JSON.parse(refused.text)).toMatchObject({ error: { data: { code: "FORBIDDEN", reason: "confirm" } } });
  await prove();
  const made = await operator.client.sites.create.mutate({ ...input, sourceType: "shopify" });
  const token = made.site.inboundUrl?.split("/").at(-1) ?? "";
  const mine: PostingShop = { ...other, siteId: made.site.id, token, signingSecret: input.sourceSecret, sourceType: "shopify" };
  await post(mine, "customers/redact", redact({ id: 7, phone }));
  const [request] = await requests(mine);
  expect(request).toMatchObject({ phone, email: null, orders: [], state: "asked" });
  expect(Date.parse(request?.dueAt ?? "") - Date.parse(request?.askedAt ?? "")).toBe(14 * 86_400_000);
  expect((await callProcedure({ url }, "people.confirmErasure", { id: request?.id }, operator.token)).code).toBe("FORBIDDEN");
  await owner.people.confirmErasure.mutate({ id: request?.id ?? "" });
  await done(mine);
  expect(await kept(other)).toEqual(["1"]);
  expect(await world.sql`select from erasure where account_id = ${accountId}`).toHaveLength(0);
});

it("reaches the phone, the address, the shop's customer and the orders named, of that site alone, and tells what it did", async () => {
  const [shop, other] = [await openOne(), await openOne()];
  const [phone, elsewhere] = ["+4917612345602", "+4917612345603"];
  const someone = { id: 21, phone: "+4917612345604", email: "bob@example.com" };
  for (const each of [shop, other]) {
    await post(each, "orders/create", order(11, { id: 5, phone }));
    await post(each, "orders/create", order(12, { id: 6, phone: elsewhere, email: "Ada@Example.com" }));
    await post(each, "orders/create", order(13, { id: 191167, phone: elsewhere }));
    await post(each, "orders/create", order(14, { id: 8, phone: elsewhere }));
    await post(each, "orders/create", order(191167, someone));
  }
  // Their bodies name no customer, or are the customer.
  await post(shop, "fulfillments/create", JSON.stringify({ id: 9, order_id: 13, status: "success", tracking_company: "DHL" }));
  await post(shop, "customers/create", JSON.stringify({ id: 191167, phone: elsewhere, verified_email: true }));
  await waitFor("the messages to leave", async () => {
    const rows =
      await world.sql`select from notification where site_id in (${shop.siteId}, ${other.siteId}) and status in ('queued', 'sending')`;
    return rows.length === 0;
  });
  await post(shop, "customers/redact", redact({ id: 191167, email: "ada@example.com", phone }, [14]));
  const [request] = await requests(shop);
  expect(request).toMatchObject({ phone, email: "ada@example.com", customer: "191167", orders: ["14"] });
  expect(await kept(shop)).toHaveLength(7);
  await prove();
  await owner.people.confirmErasure.mutate({ id: request?.id ?? "" });
  expect(await done(shop)).toMatchObject({
    phone: "•••02",
    email: null,
    customer: null,
    orders: [],
    decidedBy: expect.stringContaining("@"),
  });
  expect([await kept(shop), await kept(other)]).toEqual([["191167"], ["11", "12", "13", "14", "191167"]]);
  const phones = await world.sql<
    { to_phone: string }[]
  >`select distinct to_phone from notification where site_id = ${shop.siteId} order by 1`;
  expect(phones.map(({ to_phone }) => to_phone)).toEqual([someone.phone, "erased", "•••02"].toSorted());
  expect(await world.sql`select from customer_order where site_id = ${shop.siteId}`).toHaveLength(1);
});

it("is refused by the owner, or confirmed by the time, which the audit and the overview tell", async () => {
  const [refused, late] = [await openOne(), await openOne()];
  const phone = "+4917612345605";
  for (const shop of [refused, late]) {
    await post(shop, "orders/create", order(31, { phone }));
    await post(shop, "customers/redact", redact({ phone }));
  }
  const [first] = await requests(refused);
  await prove();
  await owner.people.refuseErasure.mutate({ id: first?.id ?? "" });
  await expect(owner.people.confirmErasure.mutate({ id: first?.id ?? "" })).rejects.toMatchObject({ data: { code: "CONFLICT" } });
  expect((await requests(refused))[0]).toMatchObject({ state: "refused", phone: "•••05" });
  expect((await owner.audit.concerns.query()).items).toContainEqual({ kind: "erasures_asked", count: 1, at: expect.any(String) });
  await world.sql`update erasure_request set due_at = now(), asked_at = now() - interval '14 days' where site_id = ${late.siteId}`;
  expect(await done(late)).toMatchObject({ decidedBy: null, decidedAt: expect.any(String) });
  expect([await kept(refused), await kept(late)]).toEqual([["31"], []]);
  const [entry] = (await owner.audit.list.query({ action: "people.confirmErasure", limit: 1 })).items;
  expect(entry).toMatchObject({ actor: "14 days" });
  expect((await owner.audit.concerns.query()).items).toContainEqual({ kind: "erasures_confirmed", count: 1, at: expect.any(String) });
});

it("a request for data under the topic of an erasure, and an order, ask for nothing", async () => {
  const shop = await openOne();
  const data = shopBody("shopify-customers-data-request");
  for (const body of [data, order(41, { phone: "+4917612345606" })])
    await postShop(world.gateway, shop, body, { topic: "customers/redact" });
  await post(shop, "customers/data_request", data);
  expect(await requests(shop)).toEqual([]);
});

it("what a gateway of an earlier version asks for becomes such a request", async () => {
  const shop = await openOne();
  const phone = "+4917612345607";
  await post(shop, "orders/create", order(51, { phone }));
  const id = newId();
  await world.sql.begin(async (sql) => {
    // The statements of that version.
    await sql`
      insert into erasure (id, account_id, requested_by, phone, phone_hash, hint, below, steps)
      values (${id}, ${accountId}, 'shopify', ${vault.seal(phone, placeIn("erasure.phone", accountId, id))}, ${vault.fingerprint(optOutKey(accountId, phone))}, '•••07',
        uuid_at(now() + interval '5 seconds'), '[]')`;
    await sql`
      insert into audit_entry (id, account_id, actor, action, subject, changes)
      values (${newId()}, ${accountId}, 'shopify', 'shopify.customers/redact', ${shop.siteId}, ${JSON.stringify([{ member: "erasure", after: id }])}::text::json)`;
  });
  const request = await waitFor("the request", async () => (await requests(shop))[0]);
  expect(request).toMatchObject({ phone, state: "asked" });
  expect([await kept(shop), await world.sql`select from erasure where id = ${id}`]).toEqual([["51"], []]);
});
