import { randomBytes } from "node:crypto";
import type { SandboxClient } from "admin-server/sandbox/client";
import type { AdminOverrides } from "admin-server/start";
import type { Gateway } from "gateway/start";
import type { VariableMap } from "shared/core/variables";
import { uuidv7 } from "shared/db/ids";
import { newId, orderId as orderIdOf } from "shared/db/ids";
import { phonePlace } from "shared/db/opt-out";
import { savePlatformAccount } from "shared/db/platform-account";
import type { Pool, Sql } from "shared/db/statement";
import { placeIn } from "shared/secrets/vault";
import { type OpenResources, type ResourceCaller, addMember, password, type OpenAdmin, type AdminClient, openAdminOn } from "./admin.ts";
import { testDatabase, type TestDatabase } from "./database.ts";
import { openGateway, masterKey, openShop, type Shop, type ShopOptions, vault } from "./gateway.ts";
import { type ScriptedPlatform, startScriptedPlatform } from "./platform.ts";
import { words } from "./words.ts";

/** A map that fills every slot of the shop's template. */
export const variableMap: VariableMap = {
  header: { "1": { source: "field", path: "order.number" } },
  body: { "1": { source: "expression", expr: "customer.full_name", fallback: "there" }, "2": { source: "field", path: "order.id" } },
  button_url: { "1": { source: "field", path: "order.tracking_number" } },
};

/** A site with a test phone. */
export const addSite = async (api: ResourceCaller): Promise<string> =>
  (await api.sites.create({ name: "Shop", url: "https://shop.example", sourceType: "generic", testPhone: "+491700000000" })).site.id;

/** An account with a site and a draft that has two body slots, one in the header and one in a button; `base`: the input of a binding of both. */
export async function openBoundShop(resources: OpenResources) {
  const { api, as, accountId } = await resources.account();
  const siteId = await addSite(api);
  const { template } = await api.templates.create({
    name: "order_shipped",
    language: "en_US",
    category: "UTILITY",
    header: { format: "TEXT", text: "Order {{1}}" },
    body: "Hello {{1}}, your order {{2}} is on its way.",
    footer: "Example Shop",
    buttons: [{ type: "URL", text: "Track", url: "https://shop.example/t/{{1}}" }],
    examples: { header: ["1"], body: ["Ada", "1"], buttonUrl: ["1"] },
  });
  const recipient = { strategy: "customer" } as const;
  const base = { siteId, event: "order.shipped", templateId: template.id, recipient, variableMap };
  return { api, as, accountId, siteId, templateId: template.id, base };
}

export type FullAccount = Awaited<ReturnType<typeof fullAccount>>;

/** An account with one of everything, and all ids of it. */
export async function fullAccount(admin: OpenAdmin, label: string) {
  const owner = await admin.signUp(`owner-${label}@example.com`);
  const { client } = owner;
  const { account } = await client.auth.me.query();
  const member = await addMember(admin, client, "operator", `member-${label}@example.com`);
  const invite = await client.users.invite.mutate({ email: `invited-${label}@example.com`, role: "viewer" });
  const token = await client.tokens.create.mutate({ name: `token-${label}`, role: "viewer" });
  await client.settings.update.mutate({
    timezone: "Asia/Tokyo",
    platform: { wabaId: `waba-${label}`, phoneNumberId: `number-${label}`, accessToken: `EAA-${label}`, appSecret: `secret-${label}` },
  });
  const { site } = await client.sites.create.mutate({ name: `site-${label}`, url: "https://shop.example", sourceType: "generic" });
  const { recipient } = await client.recipients.add.mutate({ siteId: site.id, phone: "+491700000001", label: `phone-${label}` });
  const { template } = await client.templates.create.mutate({
    name: `template_${label}`,
    language: "en_US",
    category: "UTILITY",
    body: "Your order {{1}} has been shipped today.",
    examples: { body: ["A-1"] },
  });
  const binding = {
    siteId: site.id,
    event: "order.created",
    templateId: template.id,
    recipient: { strategy: "customer" as const },
    variableMap: {},
  };
  const made = await client.bindings.create.mutate(binding);
  const [orderId, now] = [idAt(Date.now()), Date.now()];
  const eventId = await insertEvent(admin.sql, site.id, { id: idAt(now), payload: `{"of":"${label}"}`, order_id: orderId });
  const notificationId = await insertNotification(
    admin.sql,
    { accountId: account.id, siteId: site.id, eventId },
    { id: idAt(now), to_phone: "+491700000002" },
  );
  const approvedId = idAt(now);
  await admin.sql`
    insert into template (id, account_id, name, language, category, status, definition)
    select ${approvedId}, account_id, ${`approved_${label}`}, 'en_US', 'UTILITY', 'approved', definition from template where id = ${template.id}`;
  const failedId = await insertNotification(
    admin.sql,
    { accountId: account.id, siteId: site.id, eventId },
    { id: idAt(now), to_phone: "+491700000004", status: "failed", template_id: approvedId },
  );
  const scheduledId = await insertNotification(
    admin.sql,
    { accountId: account.id, siteId: site.id, eventId },
    { id: idAt(now), to_phone: "+491700000006", status: "scheduled" },
  );
  await admin.sql`
    insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
    values (${site.id}, ${scheduledId}, ${account.id}, ${eventId}, ${made.binding.id}, 'digest', 'tomorrow', 'tomorrow')`;
  const resendJobId = idAt(now);
  await admin.sql`
    insert into operation (id, account_id, kind, created_by, total, finished_at, settled_at)
    values (${resendJobId}, ${account.id}, 'resend', ${owner.email}, 0, now(), now())`;
  const optOutId = idAt(now);
  await admin.sql`
    insert into opt_out (id, account_id, phone_hash, phone, scope, source, active, since, told_at)
    values (${optOutId}, ${account.id}, 'digest', ${vault.seal("+491700000005", phonePlace(account.id, optOutId))}, 'all', 'callback', true, now(), now())`;
  const erasureId = idAt(now);
  await admin.sql`
    insert into erasure (id, account_id, requested_by, phone_hash, hint, below, steps, finished_at)
    values (${erasureId}, ${account.id}, ${owner.email}, 'digest', ${`hint-${label}`}, ${erasureId}, '[]', now())`;
  const [shopErasureId, person] = [
    idAt(now),
    { phone: `+4917000${label.length}0007`, email: `redact-${label}@example.com`, customer: null, orders: [] },
  ];
  await admin.sql`
    insert into erasure_request (id, account_id, site_id, person, person_hash, hint, below, due_at)
    values (${shopErasureId}, ${account.id}, ${site.id}, ${vault.seal(JSON.stringify(person), placeIn("erasure_request.person", account.id, shopErasureId))}, 'digest',
      ${`hint-${label}`}, ${shopErasureId}, 'tomorrow')`;
  const storedOrderId = orderIdOf(site.id, { kind: "id", value: "10042" });
  await admin.sql`insert into customer_order (id, site_id, external_id, last_event_id) values (${storedOrderId}, ${site.id}, ${`of-${label}`}, ${eventId})`;
  const passkeyId = idAt(now);
  await admin.sql`
    insert into passkey (id, user_id, name, credential_id, public_key, counter, transports)
    values (${passkeyId}, ${owner.user.id}, ${`passkey-${label}`}, ${`credential-${label}`}, 'key', 0, '{}')`;
  const { webhook } = await client.webhooks.create.mutate({
    siteId: site.id,
    url: `https://${label}.example/hooks`,
    types: ["message.sent"],
  });
  const { delivery } = await client.webhooks.test.mutate({ id: webhook.id });
  const questionId = await addAssistant(admin.sql, { accountId: account.id, userId: owner.user.id });
  const told = { url: `https://${label}.example/alerts`, kinds: ["binding_never_fired" as const] }; // What fails to reach it would change it.
  const { channel } = await client.alerts.addChannel.mutate({ kind: "webhook", ...told });
  const [problemId, addressId] = [idAt(now), idAt(now)];
  const { view } = await client.views.create.mutate({ list: "log", name: `view-${label}`, filter: { siteId: site.id } });
  const refused = { name: `alert-${label}`, language: "en", status: "rejected", reason: null };
  await admin.sql`
    insert into problem (id, account_id, kind, site_id, subject, detail, first_at, last_at, alerted)
    values (${problemId}, ${account.id}, 'template_refused', ${site.id}, ${approvedId}, ${JSON.stringify(refused)}::text::json, now(), now(), true)`;
  await admin.sql`
    insert into alert_channel (id, account_id, kind, target, target_hash, hint, confirm_hash, confirm_until)
    values (${addressId}, ${account.id}, 'email', 'sealed', 'digest', ${`alerts-${label}@example.com`}, sha256(${`confirm-${label}`}::bytea), 'tomorrow')`;
  const [requestedId, backfillId] = [idAt(now), idAt(now)];
  await admin.sql`
    insert into requested_event (id, account_id, site_id, kind, replay_of, done_at)
    values (${requestedId}, ${account.id}, ${site.id}, 'replay', ${eventId}, now())`;
  // The database makes it an operation, which is over like the others.
  await admin.sql`update operation set finished_at = now(), settled_at = now() where id = ${requestedId}`;
  await admin.sql`
    insert into backfill (id, account_id, site_id, binding_id, created_by, request_id, event, above, below, position, total, finished_at)
    values (${backfillId}, ${account.id}, ${site.id}, ${made.binding.id}, ${owner.email}, ${backfillId}, 'order.created', ${backfillId}, ${backfillId},
      ${backfillId}, 0, now())`;
  return {
    label,
    owner,
    client,
    account,
    member,
    password,
    binding,
    orderId,
    eventId,
    notificationId,
    failedId,
    scheduledId,
    resendJobId,
    optOutId,
    erasureId,
    shopErasureId,
    storedOrderId,
    tokenId: token.id,
    inviteId: invite.id,
    sessionId: (await client.auth.sessions.query()).items[0]?.id ?? "",
    passkeyId,
    siteId: site.id,
    recipientId: recipient.id,
    templateId: template.id,
    bindingId: made.binding.id,
    webhookId: webhook.id,
    deliveryId: delivery.id,
    questionId,
    channelId: channel.id,
    problemId,
    addressId,
    requestedId,
    backfillId,
    viewId: view.id,
  };
}

/** An assistant whose provider nobody can reach, an owner who has agreed to it, and a question that waits. */
async function addAssistant(sql: Sql, { accountId, userId }: { accountId: string; userId: string }): Promise<string> {
  const id = idAt(Date.now());
  await sql`
    insert into assistant (account_id, provider, base_url, model, timeout_seconds, output_tokens, daily_tokens)
    values (${accountId}, 'openai', 'https://127.0.0.1:9/v1', 'm', 5, 200, 1000000)`;
  await sql`update membership set assistant_agreed = 'https://127.0.0.1:9' where account_id = ${accountId} and user_id = ${userId}`;
  await sql`
    insert into assistant_use (id, account_id, user_id, kind, model, tokens, input, running_until)
    values (${id}, ${accountId}, ${userId}, 'draftTemplate', 'm', 1, '{"request":"Thank you","language":"en"}', 'tomorrow')`;
  return id;
}

/** Mutations after which an account lacks something that others need, in the order in which an account of each line bears them all. The first has borne every other path before. */
const lives = [
  "alerts.removeChannel users.invites.revoke recipients.remove notifications.cancel people.confirmErasure settings.removeAssistant webhooks.delete bindings.delete auth.logout",
  "users.invite users.remove assistant.explain notifications.sendNow people.refuseErasure templates.submit webhooks.update sites.update auth.changePassword",
  "assistant.try notifications.cancelMany notifications.resend templates.create sites.delete auth.signOutEverywhere",
  "notifications.sendNowMany notifications.resendMany templates.delete settings.connectSandbox auth.revokeSession",
  "assistant.translateTemplate assistant.proposeBinding people.erase settings.update auth.secondFactor",
  "auth.confirmEmail",
  "auth.confirmTotp",
].map(words);

/** What there is of each path, in an order in which few full accounts bear it. */
export const inLives = <Of>(all: readonly Of[], pathOf: (one: Of) => string): Of[] =>
  all.toSorted((one, other) => lives.flat().indexOf(pathOf(one)) - lives.flat().indexOf(pathOf(other)));

/** Full accounts for one procedure after the other, which come in the order of their lives. */
export function wholeAccounts(open: () => Promise<FullAccount>): (path: string) => Promise<FullAccount> {
  const accounts: Promise<FullAccount>[] = [];
  return (path) => {
    const life = lives.findIndex((paths) => paths.includes(path));
    return (accounts[Math.max(0, life)] ??= open());
  };
}

/** Instants and ids of now that an input may name. */
const fresh: Record<string, () => string> = {
  new: newId,
  yesterday: () => new Date(Date.now() - 86_400_000).toISOString(),
  soon: () => new Date(Date.now() + 3_600_000).toISOString(),
  tomorrow: () => new Date(Date.now() + 86_400_000).toISOString(),
};

/** The input with what each name in angle brackets stands for: a member of `ids`, such as `<member.user.id>`, an instant or a new id. */
export const filled = <Input>(input: Input, ids: object): Input =>
  JSON.parse(
    JSON.stringify(input).replaceAll(/<([\w.]+)>/g, (_, name: string) =>
      String(fresh[name]?.() ?? name.split(".").reduce<unknown>((of, member) => (of as Record<string, unknown>)[member], ids)),
    ),
  ) as Input;

/** An id that carries the instant. */
export const idAt = (time: string | number): string => uuidv7(new Date(time).getTime(), randomBytes(10));

/** Writes an event as a gateway would; answers its id. */
export async function insertEvent(
  sql: Sql,
  siteId: string,
  columns: Record<string, string | number | boolean | null> = {},
): Promise<string> {
  const id = typeof columns["id"] === "string" ? columns["id"] : idAt(Date.now());
  const { payload = "{}", trace = null, ...given } = columns;
  const row = { source: "generic", name: "order.created", test: false, dry_run: false, bindings_run: 1, chat: "sent", ...given };
  await sql`insert into event ${sql({ ...row, site_id: siteId, id })}`;
  await sql`insert into event_payload ${sql({ site_id: siteId, id, payload, trace })}`;
  return id;
}

/** Writes a message as a gateway would; answers its id. */
export async function insertNotification(
  sql: Sql,
  at: { accountId: string; siteId: string; eventId: string },
  columns: Record<string, string | number | boolean | Date | null> = {},
): Promise<string> {
  const id = typeof columns["id"] === "string" ? columns["id"] : idAt(Date.now());
  const [event] = await sql<{ name: string }[]>`select name from event where site_id = ${at.siteId} and id = ${at.eventId}`;
  const row = {
    event: event?.name ?? "",
    error_code: columns["status"] === "failed" ? "131026" : null,
    binding_id: "019aa000-0000-7000-8000-0000000000b1",
    template_id: "019aa000-0000-7000-8000-0000000000b2",
    template: "order_created",
    language: "en",
    to_phone: "+491701234567",
    position: 0,
    status: "sent",
    components: "[]",
    ...columns,
  };
  await sql`insert into notification ${sql({ ...row, id, account_id: at.accountId, site_id: at.siteId, event_id: at.eventId })}`;
  return id;
}

const copied = words(
  "id site_id account_id event_id event binding_id template_id template language to_phone position status components error_code failed_at",
);

/** Adds messages of different people, each of an event of its own, made so many milliseconds `ago`; answers their ids. `code`: that by which they failed; null: they are delivered. */
export async function insertMessages(
  { sql, accountId, templateId, bindingId }: { sql: Sql } & Record<"accountId" | "templateId" | "bindingId", string>,
  { siteId, count, code, ago }: { siteId: string; count: number; code: string | null; ago: (n: number) => number },
): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, n) => {
    const at = Date.now() - ago(n);
    return { id: idAt(at), event_id: idAt(at - 1), phone: `+49170${String(n).padStart(7, "0")}` };
  });
  const given = sql`json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, event_id uuid, phone text)`;
  await sql`
    insert into event (site_id, id, source, name, test, dry_run, bindings_run, chat)
    select ${siteId}, event_id, 'generic', 'order.shipped', false, false, 1, 'failed' from ${given}`;
  await sql`
    insert into notification (id, site_id, account_id, event_id, event, binding_id, template_id, template, language, to_phone, position, status, components,
      error_code, failed_at)
    select id, ${siteId}, ${accountId}, event_id, 'order.shipped', ${bindingId}, ${templateId}, 'order_shipped', 'en_US', phone, 0,
      ${code === null ? "delivered" : "failed"}, '[]', ${code}, ${code === null ? null : new Date()}
    from ${given}`;
  return rows.map(({ id }) => id);
}

/** Writes copies of a message that was not sent yet, each with changes of its own, such as `id` and `to_phone`. */
export const copyNotification = (sql: Sql, id: string, changes: object[]) => sql`
  insert into notification (${sql(copied)})
  select ${sql(copied.map((name) => `made.${name}`))}
  from notification n, jsonb_array_elements(${JSON.stringify(changes)}::text::jsonb) as change, jsonb_populate_record(n, change) as made
  where n.id = ${id}`;

export interface ShopWorld extends AsyncDisposable {
  database: TestDatabase;
  sql: Pool;
  platform: ScriptedPlatform;
  gateway: Gateway;
  /** Two servers over one database; the clients belong to one owner. */
  admins: { url: string; token: string; client: AdminClient }[];
  /** A site of that owner's account, connected to the platform. */
  shop: Shop;
}

/** A shop with an owner's clients: a gateway, two admin servers and a platform that follows the test's script. */
export async function openShopWorld(options: ShopOptions = {}, overrides: AdminOverrides = {}): Promise<ShopWorld> {
  const database = await testDatabase();
  const platform = await startScriptedPlatform();
  const gateway = await openGateway(database.url, platform.url, { inDoubtSeconds: 1 }, { sweepMs: 50, notesMs: 50 });
  const servers = [await openAdminOn(database.url, { masterKey }, overrides), await openAdminOn(database.url, { masterKey }, overrides)];
  const owner = await servers[0]?.signUp();
  if (owner === undefined) throw new Error("no admin server");
  const accountId = (await owner.client.auth.me.query()).account.id;
  const shop = await openShop(database.sql, { ...options, accountId });
  await connectShop(database.sql, shop);
  return {
    database,
    sql: database.sql,
    platform,
    gateway,
    admins: servers.map((server) => ({ url: server.url, token: owner.token, client: server.client(owner.token) })),
    shop,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([gateway, ...servers].map((server) => server[Symbol.asyncDispose]()));
      await platform[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Gives the shop's account credentials of the platform. */
const connectShop = (sql: Pool, { accountId, appSecret }: Shop) =>
  savePlatformAccount(sql, {
    account_id: accountId,
    sandbox: false,
    waba_id: "1001",
    phone_number_id: "2001",
    api_version: "v25.0",
    app_id: null,
    access_token: vault.seal("TOKEN", placeIn("platform_account.access_token", accountId)),
    access_token_hint: "OKEN",
    app_secret: vault.seal(appSecret, placeIn("platform_account.app_secret", accountId)),
  });

/** A sandbox that holds one message of every owner, named after the owner. */
export const sharedPhone: SandboxClient = {
  openAccount: async () => Promise.reject(new Error("not part of this test")),
  messages: async ({ owner }) =>
    Promise.resolve([
      {
        id: `wamid.${owner}`,
        seq: "1",
        to: "+491700000003",
        template: "t",
        language: "en",
        components: [],
        text: `from ${owner}`,
        at: "2026-01-01T00:00:00.000Z",
        status: "sent",
        header: null,
        body: "",
        footer: null,
        buttons: [],
      },
    ]),
  markRead: async () => Promise.resolve(),
  answer: async () => Promise.resolve(),
  control: async () => Promise.resolve(),
  forget: async () => Promise.resolve({ deleted: 0, next: null }),
  markDemo: async () => Promise.resolve(),
};
