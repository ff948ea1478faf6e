import { phonePlace } from "shared/db/opt-out";
import { type Sql, inTransaction } from "shared/db/statement";
import { idAt } from "../../support/admin-shops.ts";
import { addMember, type AdminClient } from "../../support/admin.ts";
import { vault } from "../../support/gateway.ts";
import { postEvent } from "../../support/requests.ts";
import { controlToken } from "../../support/sandbox.ts";
import { waitFor } from "../../support/wait-for.ts";
import { owner, type Stack } from "../stack.ts";
import { addEndpoints } from "./endpoints.ts";
import { openShopAccount, type ShopAccount } from "./shop-account.ts";
import written from "./templates.json" with { type: "json" };

/** The accounts whose pages are shown: one that was just opened, one with a month of work behind it, and one whose shop posts by itself. */
export interface World extends ShopAccount {
  emptyToken: string;
  fullToken: string;
  siteId: string;
  templateId: string;
  bindingId: string;
  /** The binding of messages that wait. */
  cartBindingId: string;
  orderId: string;
  eventId: string;
  failedId: string;
  waitingId: string;
  /** The delivery that an endpoint did not take. */
  deliveryId: string;
}

const liveOrders = 18;

export async function fillWorld(stack: Stack): Promise<World> {
  const { admin, sql } = stack;
  const full = await admin.client().auth.signUp.mutate({ accountName: "Bean & Leaf", ...owner });
  const empty = await admin.client().auth.signUp.mutate({ accountName: "New shop", email: "new@example.com", password: owner.password });
  const client = admin.client(full.token);
  const { account } = await client.auth.me.query();
  await waitFor("the sandbox to be connected", async () => (await client.settings.get.query()).platform.configured);
  const { shop, templateIds, bindingId, cartBindingId } = await setUp(client);
  await writeHistory(sql, { accountId: account.id, siteId: shop.site.id, bindingId, templateIds });
  await rejectOne(stack, templateIds["survey"] ?? "");
  await addPeople(stack, client, account.id);
  const { orderId, eventId } = await postOrders(stack, { key: shop.apiKey, secret: shop.webhookSecret });
  const failed = await waitFor("a message to fail", async () => (await client.notifications.list.query({ status: "failed" })).items[0]);
  await waitFor("a message to be read", async () => (await client.notifications.list.query({ eventId })).items[0]?.status === "read");
  return {
    ...(await openShopAccount(stack)),
    emptyToken: empty.token,
    fullToken: full.token,
    siteId: shop.site.id,
    templateId: templateIds["confirmation"] ?? "",
    bindingId,
    cartBindingId,
    orderId,
    eventId,
    failedId: failed.id,
    waitingId: (await client.notifications.scheduled.query()).items[0]?.id ?? "",
    deliveryId: await addEndpoints(sql, client, shop.site.id),
  };
}

async function postOrders({ gateway }: Stack, sender: { key: string; secret: string }): Promise<{ orderId: string; eventId: string }> {
  const post = async (n: number, event: string, headers = {}) =>
    (await postEvent(gateway, sender, orderOf(n, event), { source: "woocommerce", event, headers })).json;
  for (let n = 1; n < liveOrders; n += 1) await post(n, "order.created", n % 6 === 0 ? { "X-Service-Mode": "test" } : {});
  const { event_id, order_id } = await post(0, "order.created");
  await post(0, "order.shipped");
  for (const n of [0, 1, 2, 3, 4]) await post(n, "order.completed");
  await post(3, "order.refunded");
  return { eventId: String(event_id), orderId: String(order_id) };
}

/** Makes the platform take an approval back, with a reason. */
async function rejectOne({ sandbox, sql }: Stack, id: string): Promise<void> {
  const [template] = await sql<{ platform_id: string }[]>`select platform_id from template where id = ${id}`;
  await fetch(`${sandbox.url}/_sandbox/templates/${template?.platform_id}`, {
    method: "PATCH",
    headers: { "content-type": "application/json", authorization: `Bearer ${controlToken}` },
    body: JSON.stringify({ status: "REJECTED", reason: "INCORRECT_CATEGORY" }),
  });
  await waitFor(
    "the rejection to be told",
    async () => (await sql`select from template where id = ${id} and status = 'rejected'`).count === 1,
  );
}

interface Place {
  accountId: string;
  siteId: string;
  bindingId: string;
  templateIds: Record<string, string>;
}

const days = 28;
const dayMs = 86_400_000;
const statuses = ["read", "read", "read", "delivered", "delivered", "sent"];
const codes = ["131026", "131026", "131049", "131050", "131056"];

/** Writes four weeks of messages before today, as gateways would have left them: more on workdays, with a bad day among them. */
async function writeHistory(sql: Stack["sql"], place: Place): Promise<void> {
  for (let weeks = days / 7 + 1; weeks >= 0; weeks -= 1) {
    for (const table of ["event", "event_payload", "notification"])
      await sql`select make_week_partition(${table}, now() - ${weeks}::integer * interval '7 days')`;
  }
  await inTransaction(sql, async (transaction) => {
    for (let day = days; day > 0; day -= 1) await writeDay(transaction, place, day);
    // Days that were counted before are counted anew.
    await transaction`delete from notification_count where site_id = ${place.siteId}`;
    await transaction`delete from notification_day where site_id = ${place.siteId}`;
  });
}

async function writeDay(sql: Sql, { accountId, siteId, bindingId, templateIds }: Place, daysAgo: number): Promise<void> {
  const start = Date.now() - daysAgo * dayMs;
  const isWeekend = [0, 6].includes(new Date(start).getUTCDay());
  const count = (isWeekend ? 14 : 34) + ((daysAgo * 7) % 11);
  const badEach = daysAgo === 5 ? 3 : 17;
  const made = Array.from({ length: count }, (_, n) => {
    const at = start + (n * dayMs * 0.55) / count;
    const hasFailed = (n + daysAgo) % badEach === 0;
    const isShipped = n % 3 === 0;
    return {
      at,
      hasFailed,
      event: isShipped ? "order.shipped" : "order.created",
      template: isShipped ? "order_shipped" : "order_confirmation",
      n,
    };
  });
  const rows = made.map((each) => ({ ...each, eventId: idAt(each.at), id: idAt(each.at) }));
  await sql`insert into event ${sql(
    rows.map(({ eventId, event, hasFailed }) => ({
      id: eventId,
      site_id: siteId,
      source: "woocommerce",
      name: event,
      test: false,
      dry_run: false,
      bindings_run: 1,
      chat: hasFailed ? "failed" : "sent",
      recipients_sent: hasFailed ? 0 : 1,
      recipients_failed: hasFailed ? 1 : 0,
    })),
  )}`;
  await sql`insert into notification ${sql(
    rows.map(({ id, eventId, event, template, hasFailed, at, n }) => ({
      id,
      site_id: siteId,
      account_id: accountId,
      event_id: eventId,
      event,
      binding_id: bindingId,
      template_id: templateIds[template === "order_shipped" ? "shipped" : "confirmation"] ?? "",
      template,
      language: "en_US",
      to_phone: `+49151${String(20_000_000 + daysAgo * 1_000 + n)}`,
      position: 0,
      status: hasFailed ? "failed" : (statuses[n % statuses.length] ?? "sent"),
      components: "[]",
      error_code: hasFailed ? (codes[n % codes.length] ?? null) : null,
      error_reason: hasFailed ? "Message undeliverable" : null,
      sent_at: hasFailed ? null : new Date(at + 400),
      failed_at: hasFailed ? new Date(at + 900) : null,
    })),
  )}`;
}

/** An order in the form of the roastery's shop. */
export interface Order {
  event: string;
  customer: { first_name: string; last_name: string; phone_e164: string; email: string };
  order: {
    id: string;
    number: string;
    status: string;
    total: string;
    currency: string;
    items: { name: string; qty: number; price: string }[];
    order_url_customer: string;
    tracking_number: string;
  };
}

const people = [
  ["Ada", "Lovelace", "+4915112345601"],
  ["Jonas", "Weber", "+4917612345602"],
  ["María José", "Fernández", "+34612345603"],
  ["Priya", "Raman", "+447700900104"],
  ["Chloé", "Dubois", "+33612345605"],
  // The following orders fail: undeliverable, held back, blocked, too many.
  ["Tom", "Baker", "+15550101026"],
  ["Ines", "Costa", "+15550101049"],
  ["Karl", "Meier", "+15550100403"],
  ["Lena", "Novak", "+15550101056"],
] as const;

const goods = [
  { name: "Sumatra Mandheling 250 g", price: "12.90" },
  { name: "House espresso 1 kg", price: "29.50" },
  { name: "Filter papers", price: "4.20" },
  { name: "Gongfu tea set", price: "64.00" },
];

/** The nth order of the shop: another person and other goods each time, and always the same for the same n. */
function orderOf(n: number, event = "order.created"): Order {
  const [first, last, phone] = people[n % people.length] ?? people[0];
  const items = goods.slice(n % 3, (n % 3) + 1 + (n % 2)).map((good, index) => ({ ...good, qty: 1 + ((n + index) % 3) }));
  const total = items.reduce((sum, { price, qty }) => sum + Number(price) * qty, 0).toFixed(2);
  const number = String(10_042 + n);
  return {
    event,
    customer: { first_name: first, last_name: last, phone_e164: phone, email: `${first.toLowerCase().slice(0, 3)}@example.com` },
    order: {
      id: number,
      number,
      status: event === "order.shipped" ? "completed" : "processing",
      total,
      currency: "EUR",
      items,
      order_url_customer: `https://beanandleaf.example/orders/${number}`,
      tracking_number: `JD0146000${number}`,
    },
  };
}

/** Adds colleagues, an open invitation, tokens, a few opt-outs, and an erased person. */
async function addPeople({ admin, sql }: Stack, client: AdminClient, accountId: string): Promise<void> {
  await addMember(admin, client, "operator", "oscar@beanandleaf.example");
  await addMember(admin, client, "viewer", "vera@beanandleaf.example");
  await client.users.invite.mutate({ email: "nora@beanandleaf.example", role: "operator" });
  await client.tokens.create.mutate({ name: "Nightly export", role: "viewer" });
  await client.tokens.create.mutate({
    name: "Warehouse screen",
    role: "operator",
    expiresAt: new Date(Date.now() + 30 * 86_400_000).toISOString(),
  });
  const optedOut = [
    ["+4915112345678", "marketing", "preference", null],
    ["+447700900123", "marketing", "callback", "131050"],
    ["+33612345999", "all", "callback", "130403"],
  ] as const;
  for (const [phone, scope, source, code] of optedOut) {
    const at = new Date(Date.now() - optedOut.findIndex(([each]) => each === phone) * 200_000_000);
    const id = idAt(at.getTime());
    await sql`
      insert into opt_out (id, account_id, phone_hash, phone, scope, source, code, active, since, told_at)
      values (${id}, ${accountId}, ${`digest of ${phone}`}, ${vault.seal(phone, phonePlace(accountId, id))}, ${scope}, ${source}, ${code}, true, ${at}, ${at})`;
  }
  await client.people.erase.mutate({ phone: "+4915100000042" });
}

const field = (path: string, fallback?: string) => ({ source: "field" as const, path, ...(fallback !== undefined && { fallback }) });
const name = field("customer.first_name", "there");

/** Sites, templates and bindings of a small roastery. */
async function setUp(client: AdminClient) {
  await client.settings.update.mutate({ timezone: "Europe/Berlin" });
  const shop = await client.sites.create.mutate({
    name: "Bean & Leaf shop",
    url: "https://beanandleaf.example",
    sourceType: "woocommerce",
    testPhone: "+4915112345699",
  });
  const wholesale = await client.sites.create.mutate({
    name: "Wholesale",
    url: "https://wholesale.beanandleaf.example",
    sourceType: "shopify",
  });
  const kiosk = await client.sites.create.mutate({ name: "Market kiosk", url: "https://kiosk.beanandleaf.example", sourceType: "generic" });
  await client.sites.update.mutate({ id: kiosk.site.id, enabled: false });
  for (const [label, phone] of Object.entries({ "Roasting floor": "+4915112345690", "Anna, sales": "+4915112345691" }))
    await client.recipients.add.mutate({ siteId: shop.site.id, phone, label });
  const ids = await makeTemplates(client);
  const bind = (siteId: string, event: string, templateId: string, rest: object = {}) =>
    client.bindings.create.mutate({
      siteId,
      event,
      templateId,
      recipient: { strategy: "customer" },
      variableMap: { body: { "1": name } },
      ...rest,
    });
  const bound = await bind(shop.site.id, "order.created", ids["confirmation"] ?? "", {
    variableMap: {
      header: { "1": field("order.number") },
      body: {
        "1": name,
        "2": { source: "expression", expr: "total.with_currency" },
        "3": { source: "expression", expr: "items.summary_short" },
      },
      button_url: { "1": field("order.order_url_customer") },
    },
  });
  await bind(shop.site.id, "order.shipped", ids["shipped"] ?? "", {
    variableMap: { body: { "1": name, "2": field("order.number") }, button_url: { "1": field("order.tracking_number") } },
  });
  const cart = await bind(shop.site.id, "cart.abandoned", ids["offer"] ?? "", {
    enabled: false,
    conditions: { match: "all", rules: [{ path: "cart.total", op: "gte", value: "50" }] },
    delaySeconds: 3_600,
    window: { days: [1, 2, 3, 4, 5, 6], from: "09:00", to: "20:00" },
    cancelOn: { events: ["order.created"], by: "cart.id" },
    restartBy: "cart.id",
    throttle: { max: 1, seconds: 86_400 },
    expiresSeconds: 43_200,
  });
  await bind(shop.site.id, "order.completed", ids["offer"] ?? "", {
    delaySeconds: 3 * 86_400,
    cancelOn: { events: ["order.refunded"], by: "order.id" },
  });
  await bind(wholesale.site.id, "order.created", ids["bestaetigung"] ?? "", { recipient: { strategy: "site_recipients" } });
  return { shop, templateIds: ids, bindingId: bound.binding.id, cartBindingId: cart.binding.id };
}

async function makeTemplates(client: AdminClient): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const [key, input] of Object.entries(templates)) {
    const { template } = await client.templates.create.mutate(input);
    ids[key] = template.id;
    if (key !== "draft") await client.templates.submit.mutate({ id: template.id });
  }
  await waitFor("the templates to be reviewed", async () => {
    await client.templates.sync.mutate();
    return (await client.templates.list.query({ status: "pending" })).items.length === 0;
  });
  return ids;
}

type TemplateInput = Parameters<AdminClient["templates"]["create"]["mutate"]>[0];

/** The messages of a small roastery to its customers. All but the draft are submitted. */
const templates = written as Record<string, TemplateInput>;
