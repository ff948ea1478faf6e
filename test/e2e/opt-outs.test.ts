import { randomUUID } from "node:crypto";
import type { Gateway } from "gateway/start";
import { insertMembership } from "shared/db/membership";
import { phonePlace } from "shared/db/opt-out";
import { signBody } from "shared/secrets/signature";
import { beforeEach, describe, expect, it } from "vitest";
import { openAdminOn } from "../support/admin.ts";
import { breakStatements } from "../support/broken-statements.ts";
import { testDatabase } from "../support/database.ts";
import { openGateway, masterKey, openShop, type Shop, vault } from "../support/gateway.ts";
import { newMessageId, refuse, startScriptedPlatform } from "../support/platform.ts";
import { envelope, postEvent } from "../support/requests.ts";
import { shared } from "../support/shared.ts";

const database = shared(testDatabase);
const platform = shared(startScriptedPlatform);
const open = () => openGateway(database.url, platform.url);
const [a, b] = [shared(open), shared(open)];
const gateways = [a, b] as const;
/** Two sites of one account: one sends a marketing template, one a template that is not marketing. */
let marketing: Shop;
let utility: Shop;

beforeEach(async () => {
  platform.script(() => newMessageId());
  utility = await openShop(database.sql);
  marketing = await openShop(database.sql, { accountId: utility.accountId });
  await database.sql`update template set category = 'MARKETING' where id = ${marketing.templateId}`;
  // Both gateways know both sites from now on, from a time when nobody had opted out.
  for (const gateway of gateways) for (const shop of [utility, marketing]) await send(gateway, shop, "+15557000000");
  platform.sends.length = 0;
});

const send = (gateway: Gateway, shop: Shop, phone: string, headers: Record<string, string> = {}) =>
  postEvent(gateway, shop, { customer: { phone_e164: phone } }, { headers });

const outcome = async (gateway: Gateway, shop: Shop, phone: string): Promise<unknown[]> => {
  const calls = platform.sends.length;
  const { json } = await send(gateway, shop, phone);
  const [row] =
    await database.sql`select status, local_failure, error_code, wa_message_id from notification where event_id = ${String(json["event_id"])}`;
  if (row?.["status"] === "failed") expect(row).toMatchObject({ local_failure: true, wa_message_id: null });
  return [json["chat"], json["recipients_failed"], row?.["error_code"], platform.sends.length - calls];
};
const refused = ["failed", 1, "recipient_opted_out", 0];
const sent = ["sent", 0, null, 1];

const tell = async (gateway: Gateway, ...changes: object[]): Promise<void> => {
  const body = Buffer.from(envelope(...changes));
  const url = `${gateway.url}/api/public/platform/webhook/${utility.accountId}`;
  const response = await fetch(url, { method: "POST", headers: { "X-Hub-Signature-256": signBody(utility.appSecret, body) }, body });
  expect(response.status).toBe(200);
};
const preference = (waId: string, value: string, at: Date, category = "marketing_messages") => ({
  field: "user_preferences",
  value: { user_preferences: [{ wa_id: waId, detail: "", category, value, timestamp: Math.floor(at.getTime() / 1000) }] },
});
const incoming = (from: string, message: object, at: Date) => ({
  field: "messages",
  value: { messages: [{ from, id: `wamid.${from}`, timestamp: String(Math.floor(at.getTime() / 1000)), ...message }] },
});
const failed = (reference: string | undefined, code: number) => ({
  field: "messages",
  value: {
    statuses: [
      {
        id: "x",
        status: "failed",
        timestamp: String(Math.floor(Date.now() / 1000)),
        biz_opaque_callback_data: reference,
        errors: [{ code }],
      },
    ],
  },
});
const entries = async () => {
  const rows = await database.sql`
    select id, phone, scope, source, code, active from opt_out where account_id = ${utility.accountId} order by scope, told_at`;
  return rows.map(({ id, phone, ...row }) => ({ phone: phone && vault.open(phone, phonePlace(utility.accountId, id)), ...row }));
};
const ago = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);

describe("a person who does not want messages", () => {
  it("by a failure that says so (131050): gets no marketing any longer, at once and from every gateway", async () => {
    expect(await outcome(a, marketing, "+15551110001")).toEqual(sent);
    await tell(a, failed(platform.sends.at(-1)?.body.biz_opaque_callback_data, 131050));
    expect(await outcome(b, marketing, "+15551110001")).toEqual(refused);
    expect(await outcome(a, marketing, "+15551110001")).toEqual(refused);
    expect(await outcome(b, utility, "+15551110001")).toEqual(sent);
    expect(await outcome(b, marketing, "+15551110002")).toEqual(sent);
    expect(await entries()).toEqual([{ phone: "+15551110001", scope: "marketing", source: "callback", code: "131050", active: true }]);
  });

  it("whom the business blocked (130403) has not opted out", async () => {
    await outcome(a, utility, "+15551110003");
    await tell(b, failed(platform.sends.at(-1)?.body.biz_opaque_callback_data, 130403));
    expect(await outcome(b, marketing, "+15551110003")).toEqual(sent);
    expect(await entries()).toEqual([]);
  });

  it("by a refusal of the call: is not called again", async () => {
    platform.script((_, response) => refuse(response, 400, 131050));
    expect((await send(a, marketing, "+15551110004")).json).toMatchObject({ chat: "failed" });
    platform.script(() => newMessageId());
    expect(await outcome(b, marketing, "+15551110004")).toEqual(refused);
    expect(await entries()).toEqual([{ phone: "+15551110004", scope: "marketing", source: "refusal", code: "131050", active: true }]);
  });

  it("by preference: until the person wants them again, in whatever order that is told", async () => {
    await tell(a, preference("15551110005", "stop", ago(10)));
    expect(await outcome(b, marketing, "+15551110005")).toEqual(refused);
    expect(await outcome(b, utility, "+15551110005")).toEqual(sent);
    await tell(b, preference("15551110005", "resume", ago(5)));
    expect(await outcome(a, marketing, "+15551110005")).toEqual(sent);
    // An earlier update comes again, perhaps days later.
    await tell(a, preference("15551110005", "stop", ago(10)));
    expect(await outcome(b, marketing, "+15551110005")).toEqual(sent);
    await tell(a, preference("15551110005", "stop", ago(1)), preference("15551110005", "resume", ago(2)));
    expect(await outcome(b, marketing, "+15551110005")).toEqual(refused);
    expect(await entries()).toMatchObject([{ phone: "+15551110005", source: "preference", code: null }]);
  });

  it("by a word, typed or on a button: gets nothing until a start word, in whatever order that is told; nothing else is kept", async () => {
    await tell(a, incoming("15551110021", { type: "text", text: { body: " STOP " } }, ago(10)));
    for (const shop of [utility, marketing]) expect(await outcome(b, shop, "+15551110021")).toEqual(refused);
    expect(await entries()).toEqual([{ phone: "+15551110021", scope: "all", source: "keyword", code: null, active: true }]);
    await tell(b, incoming("15551110021", { type: "interactive", interactive: { button_reply: { title: "Start" } } }, ago(5)));
    for (const shop of [utility, marketing]) expect(await outcome(a, shop, "+15551110021")).toEqual(sent);
    // The platform repeats updates that it could not deliver.
    await tell(a, incoming("15551110021", { type: "text", text: { body: "stop" } }, ago(10)));
    expect(await outcome(b, utility, "+15551110021")).toEqual(sent);
    await tell(a, incoming("15551110022", { type: "text", text: { body: "When does my order come? Stop by at five" } }, ago(1)));
    expect(await outcome(b, utility, "+15551110022")).toEqual(sent);
    expect((await entries()).map(({ phone }) => phone)).toEqual([null, null]);
  });

  it("by a start word: wants again what the platform reported", async () => {
    await tell(a, preference("15551110023", "stop", ago(10)));
    expect(await outcome(b, marketing, "+15551110023")).toEqual(refused);
    await tell(a, incoming("15551110023", { type: "button", button: { text: "start" } }, ago(5)));
    expect(await outcome(b, marketing, "+15551110023")).toEqual(sent);
  });

  it("by the account's own word, which stops what the account says", async () => {
    await database.sql`update account set stop_words = '{İPTAL}', opt_out_scope = 'marketing' where id = ${utility.accountId}`;
    await tell(a, incoming("15551110024", { type: "text", text: { body: "iptal" } }, ago(1)));
    await tell(a, incoming("15551110025", { type: "text", text: { body: "stop" } }, ago(1)));
    expect(await outcome(b, marketing, "+15551110024")).toEqual(refused);
    expect(await outcome(b, utility, "+15551110024")).toEqual(sent);
    expect(await outcome(b, marketing, "+15551110025")).toEqual(sent);
  });

  it("by a button below a message of ours, where the platform hides the phone; below a message of nobody's nothing is known", async () => {
    const phone = "+15551110026";
    expect(await outcome(a, utility, phone)).toEqual(sent);
    const [{ id } = { id: "" }] = await database.sql<
      { id: string }[]
    >`select wa_message_id as id from notification where to_phone = ${phone}`;
    const tap = (context: string) => {
      const hidden = { from: undefined, from_user_id: "US.1", type: "button", button: { text: "Stop" }, context: { id: context } };
      return incoming("hidden", hidden, ago(1));
    };
    await tell(b, tap("wamid.of.nobody"));
    expect(await outcome(a, utility, phone)).toEqual(sent);
    await tell(b, tap(id));
    expect(await outcome(a, utility, phone)).toEqual(refused);
  });

  it("is known by each form of the number", async () => {
    await tell(a, preference("551187654321", "stop", ago(1)));
    expect(await outcome(b, marketing, "+5511987654321")).toEqual(refused);
    expect(await outcome(b, marketing, "+551187654321")).toEqual(refused);
    await tell(a, incoming("5215512345678", { type: "text", text: { body: "Please stop! 🙏" } }, ago(1)));
    for (const form of ["+525512345678", "+5215512345678"]) expect(await outcome(b, utility, form)).toEqual(refused);
  });

  it("is written to again when a wish is not theirs to have: another category, another account, a made-up time", async () => {
    await tell(a, preference("15551110006", "stop", ago(1), "something_else"), preference("no number", "stop", ago(1)));
    expect(await entries()).toEqual([]);
    await tell(a, preference("15551110006", "stop", new Date("2200-01-01")));
    expect(await outcome(b, marketing, "+15551110006")).toEqual(refused);
    await tell(a, preference("15551110006", "resume", new Date("2200-01-01")));
    expect(await outcome(b, marketing, "+15551110006")).toEqual(sent);
    const other = await openShop(database.sql);
    await database.sql`update template set category = 'MARKETING' where id = ${other.templateId}`;
    await tell(a, preference("15551110007", "stop", ago(1)));
    expect(await outcome(b, marketing, "+15551110007")).toEqual(refused);
    expect(await outcome(b, other, "+15551110007")).toEqual(sent);
  });
});

it("a dry run answers what live would; of several recipients the others get theirs; a retry gets the same answer", async () => {
  await tell(a, preference("15551110008", "stop", ago(1)));
  const dry = await send(b, marketing, "+15551110008", { "X-Service-Mode": "test" });
  expect(dry.json).toMatchObject({ chat: "failed", previews: [{ recipients: ["+15551110008"], resolved: true }] });
  const later = await send(a, marketing, "+15551110008", { Prefer: "respond-async", "X-Service-Idempotency-Key": "later" });
  expect([later.status, later.json]).toMatchObject([200, { chat: "failed", recipients_failed: 1 }]);
  expect((await send(b, marketing, "+15551110008", { "X-Service-Idempotency-Key": "later" })).body).toBe(later.body);
  const phones = ["+15551110008", "+15551110009", "+15551110010"];
  const shop = await openShop(database.sql, { accountId: utility.accountId, recipient: { strategy: "site_recipients" }, phones });
  await database.sql`update template set category = 'MARKETING' where id = ${shop.templateId}`;
  const headers = { "X-Service-Idempotency-Key": randomUUID() };
  const first = await send(a, shop, "", headers);
  expect(first.json).toMatchObject({ chat: "partial", recipients_sent: 2, recipients_failed: 1 });
  expect((await send(b, shop, "", headers)).body).toBe(first.body);
  expect(platform.sends.map(({ body }) => body.to).toSorted()).toEqual(
    ["15551110009", "15551110010"].map((to) => expect.stringContaining(to)),
  );
});

it("an operator sees who it is and lifts it; the next word counts again", async () => {
  await using admin = await openAdminOn(database.url, { masterKey });
  const { client, user } = await admin.signUp();
  await insertMembership(database.sql, { userId: user.id, accountId: utility.accountId, role: "owner" });
  await client.auth.switchAccount.mutate({ accountId: utility.accountId });
  const since = ago(10);
  await tell(a, preference("15551110012", "stop", since), preference("15551110013", "stop", since));
  const list = await client.optOuts.list.query();
  expect(new Set(list.items.map(({ phone }) => phone))).toEqual(new Set(["+15551110012", "+15551110013"]));
  const found = await client.optOuts.list.query({ phone: "+15551110012" });
  const sinceSecond = new Date(Math.floor(since.getTime() / 1000) * 1000).toISOString();
  expect(found.items).toEqual([
    {
      id: expect.any(String),
      phone: "+15551110012",
      userId: null,
      scope: "marketing",
      source: "preference",
      code: null,
      since: sinceSecond,
    },
  ]);
  const id = found.items[0]?.id ?? "";
  await client.webhooks.create.mutate({ siteId: utility.siteId, url: "https://shop.example/hooks", types: ["customer.opted_in"] });
  expect(await client.optOuts.lift.mutate({ id })).toEqual({ id });
  const told = await database.sql`select payload from webhook_delivery`;
  expect(told.map(({ payload }) => JSON.parse(String(payload)) as unknown)).toMatchObject([
    { type: "customer.opted_in", phone: "+15551110012", scope: "marketing", source: "operator" },
  ]);
  expect(await outcome(b, marketing, "+15551110012")).toEqual(sent);
  expect(await outcome(b, marketing, "+15551110013")).toEqual(refused);
  await expect(client.optOuts.lift.mutate({ id })).rejects.toMatchObject({ data: { code: "NOT_FOUND" } });
  expect((await client.audit.list.query({ action: "optOuts.lift" })).items).toMatchObject([{ subject: id, actorId: user.id }]);
  // The repeated update is older than the lifting.
  await tell(a, preference("15551110012", "stop", since));
  expect(await outcome(b, marketing, "+15551110012")).toEqual(sent);
  await tell(a, preference("15551110012", "stop", new Date(Date.now() + 2_000)));
  expect(await outcome(b, marketing, "+15551110012")).toEqual(refused);
});

it("the flag of the account follows its entries, also when many change at once", async () => {
  const { sql } = database;
  const flag = async () => (await sql`select has_opt_outs from account where id = ${utility.accountId}`)[0]?.["has_opt_outs"];
  expect(await flag()).toBe(false);
  const phones = Array.from({ length: 12 }, (_, i) => `1555222000${i % 10}`);
  await Promise.all(phones.map((phone, i) => tell(gateways[i % 2] ?? gateways[0], preference(phone, "stop", ago(3)))));
  expect(await flag()).toBe(true);
  await Promise.all(phones.map((phone, i) => tell(gateways[i % 2] ?? gateways[0], preference(phone, "resume", ago(2)))));
  expect(await flag()).toBe(false);
  await Promise.all(
    [...phones.slice(0, 6), ...phones.slice(0, 6)].map((phone, i) =>
      tell(gateways[i % 2] ?? gateways[0], preference(phone, i < 6 ? "stop" : "resume", ago(1))),
    ),
  );
  const active = await sql`select from opt_out where account_id = ${utility.accountId} and active`;
  expect(await flag()).toBe(active.length > 0);
});

it("a person whose user id changes is known by the new one, although the change failed half-way before the platform repeated it", async () => {
  const [gateway] = gateways;
  const phone = "+15557000077";
  await send(gateway, utility, phone);
  const ofNow = (message: object) => ({
    field: "messages",
    value: { messages: [{ timestamp: `${Math.floor(Date.now() / 1000)}`, ...message }] },
  });
  const status = {
    id: "wamid.77",
    status: "delivered",
    timestamp: `${Math.floor(Date.now() / 1000)}`,
    recipient_id: phone.slice(1),
    recipient_user_id: "US.8",
    biz_opaque_callback_data: platform.sends.at(-1)?.body.biz_opaque_callback_data,
  };
  await tell(gateway, { field: "messages", value: { statuses: [status] } });
  const system = { type: "user_changed_user_id", user_id: "US.9", previous_user_id: "US.8" };
  const broken = await breakStatements(database.owner, { table: "platform_user", on: "insert" });
  await expect(tell(gateway, ofNow({ type: "system", system }))).rejects.toThrow("to be 200");
  await broken.heal();
  await tell(gateway, ofNow({ type: "system", system }));
  await tell(gateway, ofNow({ id: "wamid.78", type: "text", from_user_id: "US.9", text: { body: "STOP" } }));
  expect(await outcome(gateway, utility, phone)).toEqual(refused);
  expect(await database.sql`select phone is not null as is_shown from opt_out order by id desc limit 1`).toEqual([{ is_shown: true }]);
});
