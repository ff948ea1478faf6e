// What is outside of the cluster: customers who post, the platform, a customer's endpoint; and what they and the database tell afterwards.
import { createHmac, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { createAdminClient } from "../../../admin-server/dist/client.js";
import { admin, adminUrl, connect, drillUrl, endpointUrl, gatewayUrl, platformUrl, until } from "./cluster.mjs";

const sign = (secret, body) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
const seconds = () => String(Math.floor(Date.now() / 1000));
const appSecret = randomBytes(16).toString("hex");
const [wabaId, phoneNumberId] = ["1001", "2001"];

/** The ids that the platform gave, by phone; the ids of deliveries that the endpoint heard, by message and type; messages that a drill sent. */
export const taken = new Map();
export const heard = new Map();
export const drilled = [];
let shop;
let reports = 0;

const serve = (url, answer) =>
  new Promise((listening) => {
    const reply = async (request, response) => {
      const body = await buffer(request);
      const json = await answer(request, body.length === 0 ? {} : JSON.parse(body.toString()));
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(json));
    };
    const server = createServer((request, response) => void reply(request, response).catch(() => undefined));
    server.listen(Number(new URL(url).port), new URL(url).hostname, listening);
  });

const components = [{ type: "BODY", text: "All is well with your order." }];
const template = { id: "501", name: "order_note", language: "en", status: "APPROVED", category: "UTILITY", components };

async function answerAsPlatform({ method, url }, body) {
  if (method === "POST" && url.endsWith(`/${phoneNumberId}/messages`)) {
    const id = `wamid.${randomBytes(12).toString("hex")}`;
    const phone = body.to.replace(/^\+?/, "+");
    taken.set(phone, [...(taken.get(phone) ?? []), id]);
    await sleep(20);
    void report(id, phone, body.biz_opaque_callback_data);
    return { messaging_product: "whatsapp", messages: [{ id }] };
  }
  return url.includes("/message_templates") ? { data: [template] } : { data: [] };
}

/** Three callbacks for each message: the platform repeats each until it is answered. */
async function report(id, phone, reference) {
  reports += 1;
  for (const status of ["sent", "delivered", "read"]) {
    const one = { id, status, timestamp: seconds(), recipient_id: phone.slice(1), biz_opaque_callback_data: reference };
    const value = { messaging_product: "whatsapp", metadata: { phone_number_id: phoneNumberId }, statuses: [one] };
    const body = JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: wabaId, changes: [{ field: "messages", value }] }] });
    const headers = { "Content-Type": "application/json", "X-Hub-Signature-256": sign(appSecret, body) };
    while (!(await post(`${gatewayUrl}/api/public/platform/webhook/${shop.accountId}`, headers, body)).ok) await sleep(300);
  }
  reports -= 1;
}

const post = async (url, headers, body) => {
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(16_000) });
    return { ok: response.status === 200 || response.status === 202, status: response.status, text: await response.text() };
  } catch {
    return { ok: false, status: 0, text: "" };
  }
};

/** Makes the account's site with an immediate and a delayed binding and an endpoint, through the admin servers. */
export async function openShop() {
  await serve(platformUrl, answerAsPlatform);
  await serve(drillUrl, (_, body) => ({ data: [], sent: body.to === undefined ? 0 : drilled.push(body.to) }));
  await serve(endpointUrl, ({ headers }, { type, wa_message_id }) => {
    const what = `${wa_message_id} ${type}`;
    heard.set(what, (heard.get(what) ?? new Set()).add(headers["webhook-id"]));
    return {};
  });
  const { token } = await createAdminClient({ url: adminUrl }).auth.login.mutate(admin);
  const client = createAdminClient({ url: adminUrl, token });
  await client.settings.update.mutate({ platform: { wabaId, phoneNumberId, accessToken: "EAAcluster", appSecret } });
  await client.templates.sync.mutate();
  const { items } = await until("the template", 30, async () => client.templates.list.query({}));
  const about = { name: "Cluster", url: "https://shop.example", sourceType: "generic" };
  const { site, apiKey, webhookSecret } = await client.sites.create.mutate(about);
  const binding = { siteId: site.id, templateId: items[0].id, recipient: { strategy: "customer" }, variableMap: {} };
  await client.bindings.create.mutate({ ...binding, event: "order.created" });
  await client.bindings.create.mutate({ ...binding, event: "order.later", delaySeconds: 3 });
  const types = ["message.sent", "message.delivered", "message.read", "message.failed"];
  await client.webhooks.create.mutate({ siteId: site.id, url: `${endpointUrl}/hook`, types });
  shop = { accountId: (await client.auth.me.query()).account.id, key: apiKey, secret: webhookSecret };
}

/** The most events that wait for their answers at once. */
const mostWaiting = 600;
let numbered = 0;

/**
 * Posts `rate` events a second until `end`, of each five one queued and one scheduled; each again with the same key until it is answered, and every twentieth
 * once more afterwards.
 */
export function startLoad(name, rate) {
  const events = [];
  const answered = [];
  let [waiting, ending] = [0, false];
  const one = async () => {
    const n = (numbered += 1);
    const event = { key: `${name}-${n}`, phone: `+1555${String(1_000_000 + n)}`, posted: Date.now(), answer: null, odd: "" };
    events.push(event);
    const body = JSON.stringify({ customer: { first_name: "Ada", phone_e164: event.phone }, order: { id: event.key } });
    const headers = { "Content-Type": "application/json", "X-Service-Site-Key": shop.key, "X-Service-Idempotency-Key": event.key };
    headers["X-Service-Signature"] = sign(shop.secret, body);
    if (n % 5 === 0) headers.Prefer = "respond-async";
    const url = `${gatewayUrl}/api/public/ingest/generic/${n % 5 === 1 ? "order.later" : "order.created"}`;
    for (let times = n % 20 === 0 ? 2 : 1; times > 0;) {
      const { ok, status, text } = await post(url, { ...headers, "X-Service-Timestamp": seconds() }, body);
      if (!ok && ![0, 503, 502, 504].includes(status)) event.odd = `${status} ${text}`;
      if (!ok) await sleep(300 + 200 * Math.random());
      if (!ok) continue;
      times -= 1;
      if (event.answer !== null && event.answer !== text) event.odd = `${String(event.answer)} and then ${text}`;
      event.answer ??= text;
      answered.push(Date.now());
    }
    waiting -= 1;
  };
  const running = (async () => {
    for (let due = Date.now(); !ending; due += 1000 / rate) {
      await sleep(Math.max(0, due - Date.now()));
      if (waiting >= mostWaiting) continue;
      waiting += 1;
      void one();
    }
    await until("the last answers", 120, () => waiting === 0);
  })();
  return {
    events,
    /** Seconds of the longest time without an answer since then. */
    outage: (since) => {
      const times = [since, ...answered.filter((at) => at > since).sort((a, b) => a - b), ...(ending ? [] : [Date.now()])];
      return Math.max(...times.slice(1).map((at, i) => at - times[i])) / 1000;
    },
    /** Resolves when answers have come steadily for two seconds, of which the fault's first is none. */
    back: async (seconds) => {
      await sleep(3000);
      await until("answers", seconds, () => answered.filter((at) => at > Date.now() - 2000).length > rate);
    },
    end: () => ((ending = true), running),
  };
}

/** Rows that are not finished, and those of them that are nobody's: no gateway that lives owns them, and they have been due for ten seconds. */
const left = `
  with live as materialized (select id from gateway where lease_until > now() - interval '10 seconds'), rows as (
    select e.owner, null::timestamptz as due_at from event e where e.chat is null and not exists (select from event_due d where d.site_id = e.site_id and d.id = e.id)
    union all select null, due_at from event_due union all select owner, due_at from waiting_message
    union all select owner, due_at from webhook_delivery where status = 'pending')
  select count(*)::integer as rows, count(*) filter (where not exists (select from live where id = rows.owner) and coalesce(due_at, '-infinity') < now() - interval '10 seconds')::integer as nobodys from rows`;

/** Waits until all is finished, then counts. `name`: that of the round's load. */
export async function count(name, events) {
  const sql = connect();
  const since = Date.now();
  let [rows, settled, stranded, most, moved] = [-1, 0, 0, 0, since];
  for (; rows !== 0 && settled < 150; await sleep(500)) {
    const [now] = await sql.unsafe(left).catch(() => [{ rows: -1, nobodys: 0 }]);
    rows = now.rows;
    // A queue may take its time, and become longer by what callbacks tell, as long as the platform or the endpoint gets something of it.
    const arrived = taken.size + heard.size;
    if (arrived > most) [most, moved] = [arrived, Date.now()];
    if (Date.now() > moved + 10_000) stranded = Math.max(stranded, now.nobodys);
    settled = (Date.now() - since) / 1000;
  }
  await until("the platform's reports", 60, () => reports === 0);
  const log = await sql`
    select e.idempotency_key as key, count(n.id)::integer as messages, count(n.id) filter (where n.status = 'failed' and n.error_code is not null)::integer as failed,
      min(n.error_code) as code, min(n.error_reason) as reason
    from event e left join notification n on n.site_id = e.site_id and n.event_id = e.id where e.idempotency_key like ${`${name}-%`} group by e.site_id, e.id, e.idempotency_key`;
  await sql.end();
  const stored = new Map(log.map((row) => [row.key, row]));
  const problems = events.filter(({ odd }) => odd !== "").map(({ key, odd }) => `${key} was answered ${odd}`);
  const failed = [];
  let [lost, doubled, untold] = [0, 0, 0];
  for (const { key, phone, answer } of events) {
    const [row, ids] = [stored.get(key), taken.get(phone) ?? []];
    if (ids.length > 1) doubled += problems.push(`${phone} got ${ids.length} messages of ${key}`) && 1;
    if (row?.failed > 0) {
      failed.push(row.code);
      problems.push(`${key} failed by ${row.code}: ${row.reason}`);
    }
    const isLost = answer !== null && (row === undefined || row.messages !== 1 || (ids.length === 0 && row.failed === 0));
    if (isLost) lost += problems.push(`${key} is lost: ${JSON.stringify(row ?? null)}, ${ids.length} taken`) && 1;
    for (const type of ["sent", "delivered", "read"])
      for (const id of ids) {
        const ways = heard.get(`${id} message.${type}`)?.size ?? 0;
        if (ways !== 1) untold += problems.push(`${type} of ${key} was told under ${ways} ids`) && 1;
      }
  }
  if (rows !== 0) stranded = Math.max(stranded, rows, 1);
  const odd = events.filter((event) => event.odd !== "").length;
  return { events: events.length, lost, doubled, stranded, untold, odd, failed, settled, problems };
}
