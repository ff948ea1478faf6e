import { randomBytes } from "node:crypto";
import type { Gateway } from "gateway/start";
import { uuidv7 } from "shared/core/uuid";
import type { Pool } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { connectShop, insertEvent, insertNotification } from "../../support/admin-shops.ts";
import { type AdminClient, callProcedure, openAdminOn } from "../../support/admin.ts";
import { testDatabase } from "../../support/database.ts";
import { masterKey, openGateway, openShop, type Shop } from "../../support/gateway.ts";
import { newMessageId, refuse, type ScriptedPlatform, startScriptedPlatform } from "../../support/platform.ts";
import { addOutboundSecret, addWebhook, type Receiver, startReceiver } from "../../support/receiver.ts";
import { postEvent, postMessages, postUpdates } from "../../support/requests.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Checked } from "./compare.ts";

/** Two accounts with something of everything, made through the product, each as the oracle takes it. */
export interface OracleWorld extends AsyncDisposable {
  sql: Pool;
  accounts: Checked[];
}

interface Stage {
  sql: Pool;
  gateway: Gateway;
  platform: ScriptedPlatform;
  /** Endpoints that take everything, that refuse everything, and that are gone. */
  endpoints: Receiver[];
}

export async function openOracleWorld(): Promise<OracleWorld> {
  const [database, platform] = [await testDatabase(), await startScriptedPlatform()];
  const { sql, url } = database;
  const gateway = await openGateway(url, platform.url, { inDoubtSeconds: 1 }, { sweepMs: 50, replaysMs: 50 });
  const times = { erasingTimes: { tickMs: 20, settleMs: 0, againMs: 50 }, alertingTimes: { tickMs: 50 } };
  const admin = await openAdminOn(url, { masterKey }, times);
  const endpoints = await Promise.all([204, 500, 410].map(async (status) => answering(status)));
  const accounts: Checked[] = [];
  for (const timezone of ["Pacific/Auckland", "America/Sao_Paulo"]) {
    const { client, token } = await admin.signUp();
    const accountId = (await client.auth.me.query()).account.id;
    const shop = await openShop(sql, { accountId });
    await connectShop(sql, shop);
    await client.settings.update.mutate({ timezone });
    await live({ sql, gateway, platform, endpoints }, client, shop);
    accounts.push({ sql, accountId, timezone, now: new Date(), ...callsOf(admin.url, token) });
  }
  return {
    sql,
    accounts,
    [Symbol.asyncDispose]: async () => {
      for (const part of [gateway, admin, platform, ...endpoints, database]) await part[Symbol.asyncDispose]();
    },
  };
}

async function answering(status: number): Promise<Receiver> {
  const receiver = await startReceiver();
  receiver.script((_, response) => void response.writeHead(status).end());
  return receiver;
}

/** The owner's calls of an admin server, by path. */
function callsOf(url: string, token: string): Pick<Checked, "call" | "file"> {
  return {
    call: async (path, input) => {
      const { code, text } = await callProcedure({ url }, path, input, token);
      if (code !== "ok") throw new Error(`${path} ${JSON.stringify(input)}: ${text}`);
      return (JSON.parse(text) as { result: { data: unknown } }).result.data;
    },
    file: async (path) => {
      const response = await fetch(`${url}/export/${path}`, { headers: { authorization: `Bearer ${token}` } });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return await response.text();
    },
  };
}

const events = ["order.created", "order.shipped", "cart.abandoned", "order.paid"] as const;
/** What the platform refuses, by a phone's last digit. */
const refusals: Record<string, number> = { "7": 131_026, "8": 131_009, "9": 131_047 };
const phoneOf = (n: number): string => `+155512300${10 + (n % 25)}`;
const seconds = (): string => String(Math.floor(Date.now() / 1000));

const payloadOf = (n: number): object => ({
  customer: { first_name: n % 11 === 3 ? "" : `Ada ${n}`, phone_e164: n % 13 === 6 ? "0171 234" : phoneOf(n) },
  order: { id: String(9000 + n), number: `N-${9000 + n}`, total: "49.90", currency: "EUR" },
  cart: { id: `c-${n % 20}` },
  ...((n % 17 === 9 || n === 25 || n === 69) && { test: true }),
  ...(n % 4 === 3 && { data: { vip: n % 8 === 3 } }),
});

const headersOf = (n: number): Record<string, string> => ({
  ...(n % 9 === 4 && { "X-Service-Mode": "test" }),
  ...(n % 7 === 5 && { Prefer: "respond-async" }),
  ...(n % 5 === 1 && { "X-Service-Idempotency-Key": `key-${n}` }),
});

async function live(stage: Stage, client: AdminClient, shop: Shop): Promise<void> {
  const { sql, gateway, platform, endpoints } = stage;
  const own = await setUp(sql, client, shop);
  await past(sql, shop, own);
  await addOutboundSecret(sql, shop);
  for (const { url } of endpoints) await addWebhook(sql, shop, { url });
  let isFailing = true;
  const sends: { id: string; phone: string; reference: string }[] = [];
  platform.script(({ body }, response) => {
    const code = isFailing ? refusals[body.to.slice(-1)] : undefined;
    if (code !== undefined) return refuse(response, 400, code);
    const id = newMessageId();
    sends.push({ id, phone: body.to, reference: body.biz_opaque_callback_data });
    return id;
  });
  const report = async (): Promise<void> => {
    for (const [index, { id, phone, reference }] of sends.splice(0).entries()) {
      const base = { id, timestamp: seconds(), recipient_id: phone.slice(1), biz_opaque_callback_data: reference };
      const words = ["", "sent", "sent delivered", "delivered read", "sent delivered read", "failed"][index % 6]?.split(" ") ?? [];
      const errors = [{ code: 131_026, title: "Message undeliverable" }];
      const updates = words.filter(Boolean).map((status) => ({ ...base, status, ...(status === "failed" && { errors }) }));
      if (updates.length > 0) await postUpdates(gateway, shop, updates);
    }
  };
  for (let n = 0; n < 90; n += 1)
    for (const _ of n % 5 === 1 ? [1, 2] : [1])
      await postEvent(gateway, n % 2 === 0 ? shop : own.second, payloadOf(n), { event: events[n % 4], headers: headersOf(n) });
  const isIdle = async () => (await sql`select from waiting_message where account_id = ${shop.accountId} and due_at < now()`).length === 0;
  await waitFor("an idle queue", isIdle);
  await report();
  const stop = { from: phoneOf(2).slice(1), id: newMessageId(), timestamp: seconds(), type: "text", text: { body: "STOP" } };
  await postMessages(gateway, shop, [stop]);
  for (let n = 90; n < 110; n += 1) await postEvent(gateway, shop, payloadOf(n), { event: events[n % 2] });
  await postEvent(gateway, shop, { ...payloadOf(2), order: { id: "9002" } }, { event: "order.paid" });
  await refusedRequests(gateway, shop, own.disabled);
  await others(stage, client, shop, own);
  await resends(client, shop, () => (isFailing = false));
  await report();
  await requested(client, shop);
  await report();
  await waitFor(
    "the endpoints",
    async () => (await sql`select from webhook_delivery where status = 'pending' and attempts = 0`).length === 0,
  );
  await sql`update alert_watch set due_at = now()`;
  await waitFor("the alerts", async () => (await client.alerts.list.query({})).items.some(({ kind }) => kind === "template_refused"));
}

/** Sites of several states; bindings with lists, conditions and delays; templates. */
async function setUp(sql: Pool, client: AdminClient, shop: Shop) {
  const site = async (name: string) => {
    const made = await client.sites.create.mutate({ name, url: "https://shop.example", sourceType: "generic", testPhone: "+15559990000" });
    return { siteId: made.site.id, key: made.apiKey, secret: made.webhookSecret };
  };
  const sites = {
    second: await site("second"),
    disabled: await site("disabled"),
    deleted: await site("deleted"),
    held: await site("held"),
  };
  const { siteId } = sites.second;
  await client.sites.update.mutate({ id: sites.disabled.siteId, enabled: false });
  const body = "Your order {{1}} has been shipped today.";
  const draft = { language: "en_US", category: "UTILITY" as const, body, examples: { body: ["1"] } };
  const { template } = await client.templates.create.mutate({ ...draft, name: "order_shipped" });
  await client.templates.create.mutate({ ...draft, name: "still_a_draft" });
  await sql`update template set status = 'approved', platform_id = 'p' where id = ${template.id}`;
  const variableMap = { body: { "1": { source: "field" as const, path: "customer.first_name" } } };
  const base = { templateId: template.id, recipient: { strategy: "customer" as const }, variableMap };
  type Binding = Parameters<typeof client.bindings.create.mutate>[0];
  const bind = async (more: Omit<Binding, "templateId" | "recipient" | "variableMap"> & Partial<Binding>) =>
    (await client.bindings.create.mutate({ ...base, ...more })).binding;
  for (const phone of ["+15558880001", "+15558880007"]) await client.recipients.add.mutate({ siteId, phone });
  await client.recipients.add.mutate({ siteId, phone: "+15558880003", active: false });
  await bind({ siteId, event: "order.shipped", recipient: { strategy: "site_recipients" } });
  await bind({ siteId, event: "order.shipped" });
  await bind({ siteId, event: "order.paid", conditions: { match: "all", rules: [{ path: "data.vip", op: "eq", value: true }] } });
  const waits = { delaySeconds: 86_400, cancelOn: { events: ["order.paid"], by: "order.id" }, restartBy: "cart.id" };
  await bind({ siteId: shop.siteId, event: "cart.abandoned", ...waits });
  await bind({ siteId: shop.siteId, event: "order.created", recipient: { strategy: "field_path", path: "data.phone" } });
  await bind({ siteId: shop.siteId, event: "never.comes", enabled: false });
  for (const one of [sites.deleted, sites.held]) await bind({ siteId: one.siteId, event: "order.created" });
  return { ...sites, bind, templateId: template.id };
}

/** Messages of earlier days, as a gateway would have written them; some close to midnight in both time zones. */
async function past(
  sql: Pool,
  { accountId, siteId, bindingId }: Shop,
  own: { second: { siteId: string }; templateId: string },
): Promise<void> {
  for (let n = 0; n < 60; n += 1) {
    const at = Date.now() - (30 + n * 7) * 3_600_000;
    const where = { accountId, siteId: n % 3 === 0 ? own.second.siteId : siteId };
    const idAt = (ms: number): string => uuidv7(ms, randomBytes(10));
    const event = { id: idAt(at), name: events[n % 2] ?? "", payload: JSON.stringify(payloadOf(n)) };
    const eventId = await insertEvent(sql, where.siteId, event);
    const status = ["sent", "delivered", "read", "failed"][n % 4] ?? "sent";
    const kind = {
      template: n % 5 === 0 ? "former" : "order_shipped",
      template_id: own.templateId,
      language: "en_US",
      binding_id: bindingId,
    };
    const sent = { status, sent_at: status === "failed" ? null : new Date(at + 400) };
    await insertNotification(sql, { ...where, eventId }, { id: idAt(at + 1), to_phone: phoneOf(n), ...kind, ...sent });
  }
}

async function refusedRequests(gateway: Gateway, shop: Shop, disabled: { key: string; secret: string }): Promise<void> {
  for (let n = 0; n < 4; n += 1) await postEvent(gateway, { ...shop, secret: "wrong" }, payloadOf(n));
  await postEvent(gateway, shop, payloadOf(0), { headers: { "X-Service-Timestamp": "1" } });
  await postEvent(gateway, shop, "no json");
  await postEvent(gateway, disabled, payloadOf(0));
}

/** Failures that are sent again: one alone that fails once more and then leaves, and many by a job. */
async function resends(client: AdminClient, { siteId }: Shop, mend: () => void): Promise<void> {
  const span = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date(Date.now() + 60_000).toISOString() };
  const failed = await client.notifications.list.query({ status: "failed", errorCode: "131026", siteId, ...span });
  const again = async (id: string): Promise<string> => {
    const { notification } = await client.notifications.resend.mutate({ id, force: true });
    const statusOf = async () => (await client.notifications.get.query({ id: notification.id })).notification.status;
    await waitFor("a resend", async () => !["queued", "sending"].includes(await statusOf()));
    return notification.id;
  };
  const second = await again(failed.items[0]?.id ?? "");
  mend();
  await again(second);
  const { job } = await client.notifications.resendMany.mutate({ ...span, errorCodes: ["131009"], force: true });
  await waitFor("the job", async () => (await client.notifications.resendJob.query({ id: job.id })).job.finishedAt !== null);
}

/** A test, a replay, and what waits cancelled and hurried by hand. */
async function requested(client: AdminClient, { siteId, bindingId }: Shop): Promise<void> {
  const { items } = await client.events.list.query({ siteId, event: "order.created", dryRun: false, test: false });
  await client.events.sendTest.mutate({ requestId: newId(), bindingId });
  await client.events.replay.mutate({ id: items[0]?.id ?? "", requestId: newId() });
  const waiting = (await client.notifications.scheduled.query({})).items;
  await client.notifications.cancel.mutate({ id: waiting.at(-1)?.id ?? "" });
  await client.notifications.sendNow.mutate({ id: waiting.at(-2)?.id ?? "" });
  const isDone = async () =>
    (await client.events.list.query({ siteId })).items.some(({ source, chat }) => source === "dashboard" && chat === "sent");
  await waitFor("the test", isDone);
}

/** What else there is a list of: a site that pauses, one that goes, a person who is forgotten, a backfill, a refused template. */
async function others({ sql, gateway }: Stage, client: AdminClient, shop: Shop, own: Awaited<ReturnType<typeof setUp>>): Promise<void> {
  await client.sites.update.mutate({ id: own.held.siteId, holdMessages: true });
  for (let n = 0; n < 4; n += 1) await postEvent(gateway, own.held, payloadOf(n));
  for (let n = 5; n < 9; n += 1) await postEvent(gateway, own.deleted, payloadOf(n));
  await client.sites.delete.mutate({ id: own.deleted.siteId });
  const { id } = await own.bind({ siteId: shop.siteId, event: "order.shipped" });
  await client.bindings.backfill.mutate({ id, since: new Date(Date.now() - 3_600_000).toISOString(), requestId: newId() });
  const backfills = async () => (await client.bindings.backfills.query({ bindingId: id })).items;
  await waitFor("the backfill", async () => (await backfills()).some(({ finishedAt }) => finishedAt !== null));
  await sql`update template set status = 'rejected', reason = 'PROMOTIONAL' where account_id = ${shop.accountId} and name = 'still_a_draft'`;
  await client.views.create.mutate({ list: "log", name: "Failed", filter: { status: "failed" } });
  await client.tokens.create.mutate({ name: "a program", role: "viewer" });
  await client.users.invite.mutate({ email: `${newId()}@example.com`, role: "viewer" });
  const { erasure } = await client.people.erase.mutate({ phone: phoneOf(10) });
  await waitFor("the erasure", async () => (await client.people.erasure.query({ id: erasure.id })).erasure.finishedAt !== null);
}
