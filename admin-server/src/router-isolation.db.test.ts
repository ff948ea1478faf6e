import { newId } from "shared/db/ids";
import { insertMembership } from "shared/db/membership";
import { insertSession } from "shared/db/session";
import { randomText } from "shared/secrets/signature";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fullAccount, type FullAccount, sharedPhone, wholeAccounts } from "../../test/support/admin-shops.ts";
import { callProcedure, procedurePaths, type ProcedureAnswer } from "../../test/support/admin.ts";
import { openAdmin, type OpenAdmin } from "../../test/support/admin.ts";
import { sessionId } from "./session/sessions.ts";

type Input = (theirs: FullAccount, mine: FullAccount) => object;

/** `refused`: another account's row is not found. `hidden`: the answer holds nothing of it. */
interface Refused {
  refused: Input;
}
interface Hidden {
  hidden: Input;
}
type Case = Refused | Hidden;

type Ids = { [K in keyof FullAccount]: FullAccount[K] extends string ? K : never }[keyof FullAccount];

const byId = (name: Ids): Case[] => [{ refused: (theirs) => ({ id: theirs[name] }) }];
const span = { from: new Date(Date.now() - 86_400_000).toISOString(), to: new Date(Date.now() + 86_400_000).toISOString() };
const listed: Case = { hidden: () => ({}) };
const inPeriod: Case = { hidden: () => span };

/** The assistant's questions about another account. */
const asked: [kind: string, input: Input][] = [
  ["translateTemplate", ({ templateId }) => ({ templateId, language: "de" })],
  ["proposeBinding", ({ siteId }, { templateId }) => ({ siteId, event: "order.created", templateId })],
  ["proposeBinding", ({ templateId }, { siteId }) => ({ siteId, event: "order.created", templateId })],
  ["explain", ({ eventId }) => ({ eventId, turns })],
  ["explain", ({ notificationId }) => ({ notificationId, turns })],
  ["explain", ({ siteId }) => ({ siteId, turns })],
];
const turns = [{ from: "person", text: "Why?" }];
const refusedAs = (kind: string): Case[] => asked.flatMap(([its, input]) => (its === kind ? [{ refused: input }] : []));

/** Procedures that reach only the caller's own rows, or those that the link names. */
const ownAlone = ["alerts.confirm", "users.acceptInvite", "users.readInvite"].concat(
  "login signUp secondFactor confirm passkeySignIn addPasskey confirmTotp resetPassword forgotPassword confirmEmail changeEmail proveEmail resendProof"
    .split(" ")
    .map((name) => `auth.${name}`),
);

/** Every procedure, and how one account tries to reach another's rows with it. A procedure without a case takes no id and reads only its input or the caller's own rows. */
const cases: Record<string, Case[]> = {
  ...Object.fromEntries(ownAlone.map((path) => [path, []])),
  "assistant.get": [listed],
  "assistant.preview": [
    ...asked.map(([kind, input]): Case => ({ refused: (theirs, mine) => ({ question: { kind, input: input(theirs, mine) } }) })),
    { hidden: () => ({ question: { kind: "draftTemplate", input: { request: "Thank you", language: "en" } } }) },
  ],
  "assistant.draftTemplate": [{ hidden: () => ({ request: "Thank you", language: "en" }) }],
  "assistant.translateTemplate": refusedAs("translateTemplate"),
  "assistant.proposeBinding": refusedAs("proposeBinding"),
  "assistant.explain": refusedAs("explain"),
  "assistant.follow": byId("questionId"),
  "assistant.try": [listed],
  "assistant.agree": [{ hidden: () => ({ place: "https://127.0.0.1:9" }) }],
  "alerts.list": [listed],
  "alerts.settings": [listed],
  "alerts.update": [{ hidden: () => ({ urgentAlways: false }) }],
  "alerts.addChannel": [{ hidden: () => ({ kind: "slack", url: "https://hooks.example/x" }) }],
  "alerts.updateChannel": [{ refused: ({ channelId }) => ({ id: channelId, enabled: false }) }],
  "alerts.removeChannel": byId("channelId"),
  "alerts.rotateSecret": byId("channelId"),
  "alerts.test": byId("channelId"),
  "audit.list": [listed, { hidden: ({ owner }) => ({ actor: owner.email }) }],
  "audit.concerns": [listed],
  "auth.state": [listed],
  "auth.logout": [listed],
  "auth.me": [listed],
  "auth.switchAccount": [{ refused: ({ account }) => ({ accountId: account.id }) }],
  "auth.startPasskeySignIn": [listed],
  "auth.startPasskeyConfirm": [listed],
  "auth.passkeys": [listed],
  "auth.startPasskey": [listed],
  "auth.removePasskey": byId("passkeyId"),
  "auth.enrollTotp": [listed],
  "auth.removeTotp": [{ hidden: ({ password }) => ({ password }) }],
  "auth.changePassword": [{ hidden: ({ password }) => ({ currentPassword: password, newPassword: "another long password" }) }],
  "auth.changeName": [{ hidden: () => ({ name: "Another" }) }],
  "auth.sessions": [listed],
  "auth.revokeSession": byId("sessionId"),
  "auth.signOutEverywhere": [listed],
  "bindings.create": [
    { refused: ({ siteId }, mine) => ({ ...mine.binding, siteId }) },
    { refused: ({ templateId }, mine) => ({ ...mine.binding, templateId }) },
  ],
  "bindings.list": [listed, { refused: ({ siteId }) => ({ siteId }) }],
  ...Object.fromEntries(["get", "versions", "delete"].map((name) => [`bindings.${name}`, byId("bindingId")])),
  "bindings.update": [
    { refused: ({ bindingId }) => ({ id: bindingId, enabled: false }) },
    { refused: ({ siteId }, mine) => ({ id: mine.bindingId, siteId }) },
    { refused: ({ templateId }, mine) => ({ id: mine.bindingId, templateId }) },
    { refused: ({ bindingId }, mine) => ({ id: bindingId, siteId: mine.siteId }) },
  ],
  "bindings.restore": [{ refused: ({ bindingId }) => ({ id: bindingId, version: 1 }) }],
  "bindings.changeMany": [
    { hidden: ({ bindingId }) => ({ action: "delete", ids: [bindingId] }) },
    { refused: ({ siteId }, mine) => ({ action: "move", ids: [mine.bindingId], siteId }) },
    { refused: ({ templateId }, mine) => ({ action: "setTemplate", ids: [mine.bindingId], templateId }) },
  ],
  "bindings.preview": [
    { refused: ({ siteId }, mine) => ({ ...mine.binding, siteId, payload: {} }) },
    { refused: ({ templateId }, mine) => ({ ...mine.binding, templateId, payload: {} }) },
  ],
  "bindings.backfillPreview": [{ refused: ({ bindingId }) => ({ id: bindingId, since: "2026-01-01" }) }],
  "bindings.backfill": [{ refused: ({ bindingId }) => ({ id: bindingId, since: "2026-01-01", requestId: newId() }) }],
  "bindings.backfills": [{ refused: ({ bindingId }) => ({ bindingId }) }],
  "bindings.cancelBackfill": byId("backfillId"),
  "events.replayPreview": byId("eventId"),
  "events.replay": [{ refused: ({ eventId }) => ({ id: eventId, requestId: newId() }) }],
  "events.requested": byId("requestedId"),
  "events.sendTest": [
    { refused: ({ siteId }) => ({ siteId, event: "order.created", requestId: newId() }) },
    { refused: ({ bindingId }) => ({ bindingId, requestId: newId() }) },
    { refused: ({ templateId }, { siteId }) => ({ siteId, templateId, requestId: newId() }) },
    { refused: ({ siteId }, { templateId }) => ({ siteId, templateId, requestId: newId() }) },
  ],
  "customers.timeline": [{ hidden: () => ({ phone: "+491700000002" }) }, { hidden: () => ({ phone: "+491700000005" }) }],
  "events.list": [listed, { hidden: ({ orderId }) => ({ orderId }) }, { refused: ({ siteId }) => ({ siteId }) }],
  "events.get": byId("eventId"),
  "events.tail": [listed, { refused: ({ siteId }) => ({ siteId }) }],
  "events.names": [{ refused: ({ siteId }) => ({ siteId }) }],
  "events.fields": [{ refused: ({ siteId }) => ({ siteId, event: "order.created" }) }],
  "notifications.filterValues": [
    { hidden: () => ({ field: "event" }) },
    { hidden: () => ({ field: "template" }) },
    { hidden: () => ({ field: "field" }) },
    { refused: ({ siteId }) => ({ field: "field", siteId }) },
    { refused: ({ siteId }) => ({ field: "errorCode", siteId }) },
  ],
  "notifications.list": [
    listed,
    { hidden: ({ eventId }) => ({ eventId }) },
    { hidden: () => ({ phone: "+491700000002" }) },
    { hidden: ({ resendJobId }) => ({ operationId: resendJobId }) },
    { refused: ({ siteId }) => ({ siteId }) },
  ],
  "notifications.scheduled": [listed, { hidden: () => ({ phone: "+491700000006" }) }, { refused: ({ siteId }) => ({ siteId }) }],
  "notifications.scheduledCount": [listed, { refused: ({ siteId }) => ({ siteId }) }],
  "notifications.get": byId("notificationId"),
  "notifications.cancel": byId("scheduledId"),
  "notifications.sendNow": byId("scheduledId"),
  "notifications.sendNowMany": [{ hidden: ({ scheduledId }) => ({ ids: [scheduledId] }) }, { refused: ({ siteId }) => ({ siteId }) }],
  "notifications.cancelMany": [{ hidden: ({ scheduledId }) => ({ ids: [scheduledId] }) }, { refused: ({ siteId }) => ({ siteId }) }],
  "notifications.resend": byId("failedId"),
  "notifications.resendCount": [
    inPeriod,
    { hidden: ({ failedId }) => ({ ids: [failedId] }) },
    { refused: ({ siteId }) => ({ siteId, ...span }) },
  ],
  "notifications.resendMany": [
    inPeriod,
    { hidden: ({ eventId }) => ({ eventIds: [eventId] }) },
    { refused: ({ siteId }) => ({ siteId, ...span }) },
  ],
  "notifications.resendJob": byId("resendJobId"),
  "operations.get": byId("resendJobId"),
  "operations.list": [listed, { hidden: () => ({ kind: "resend" }) }, { refused: ({ siteId }) => ({ siteId }) }],
  "operations.stop": byId("resendJobId"),
  "optOuts.list": [listed, { hidden: () => ({ phone: "+491700000005" }) }],
  "optOuts.lift": byId("optOutId"),
  "people.erase": [{ hidden: () => ({ phone: "+491700000002" }) }, { hidden: () => ({ phone: "+491700000005" }) }],
  "people.erasures": [listed],
  "people.erasureRequests": [listed],
  "people.confirmErasure": byId("shopErasureId"),
  "people.refuseErasure": byId("shopErasureId"),
  "auth.madeSince": [{ hidden: () => ({ since: span.from }) }],
  "people.erasure": byId("erasureId"),
  "orders.timeline": [
    { refused: ({ storedOrderId }) => ({ id: storedOrderId }) },
    { refused: ({ siteId }) => ({ siteId, reference: "10042" }) },
  ],
  "recipients.list": [{ refused: ({ siteId }) => ({ siteId }) }],
  "recipients.add": [{ refused: ({ siteId }) => ({ siteId, phone: "+491700000009" }) }],
  "recipients.update": [
    { refused: ({ recipientId }) => ({ id: recipientId, active: false }) },
    { refused: ({ recipientId }, mine) => ({ id: recipientId, siteId: mine.siteId }) },
    { refused: ({ siteId }, mine) => ({ id: mine.recipientId, siteId }) },
  ],
  "recipients.remove": byId("recipientId"),
  "sandbox.messages": [listed, { hidden: () => ({ to: "+491700000003" }) }],
  "problems.list": [listed, { refused: ({ siteId }) => ({ siteId }) }],
  "problems.acknowledge": byId("problemId"),
  "problems.resolve": byId("problemId"),
  "problems.snooze": [{ refused: ({ problemId }) => ({ id: problemId, until: new Date(Date.now() + 3_600_000).toISOString() }) }],
  "problems.note": [{ refused: ({ problemId }) => ({ id: problemId, note: "x" }) }],
  "sandbox.markRead": [{ refused: ({ account }) => ({ id: `wamid.${account.id}` }) }],
  "sandbox.answer": [{ hidden: () => ({ from: "+491700000003", text: "Stop" }) }],
  "settings.get": [listed],
  "settings.update": [{ hidden: () => ({ timezone: "Europe/Rome", platform: null }) }],
  "settings.renameAccount": [{ hidden: ({ account }) => ({ id: account.id, name: "Renamed" }) }],
  "settings.testConnection": [listed],
  "settings.connectSandbox": [listed],
  "settings.saveAssistant": [{ hidden: () => ({ provider: "openai", model: "m" }) }],
  "settings.removeAssistant": [listed],
  "sites.create": [{ hidden: () => ({ name: "x", url: "https://x.example", sourceType: "generic" }) }],
  "sites.list": [listed],
  "sites.get": byId("siteId"),
  "sites.refused": [{ refused: ({ siteId }) => ({ siteId }) }],
  "sites.update": [{ refused: ({ siteId }) => ({ id: siteId, enabled: false }) }],
  "sites.delete": byId("siteId"),
  "sites.sendExample": [{ refused: ({ siteId }) => ({ id: siteId, event: "order.created" }) }],
  "sites.rotateWebhookSecret": byId("siteId"),
  "sites.rotateInboundToken": byId("siteId"),
  "sites.rotateApiKey": byId("siteId"),
  "stats.messages": [{ refused: ({ siteId }) => ({ ...span, siteId }) }],
  "stats.overview": [{ refused: ({ siteId }) => ({ ...span, siteId }) }],
  "stats.backlog": [listed, { refused: ({ siteId }) => ({ siteId }) }],
  "templates.create": [
    { hidden: ({ label }) => ({ name: `template_${label}`, language: "en_US", category: "UTILITY", body: "Thank you for it." }) },
  ],
  "templates.check": [
    { hidden: ({ label }) => ({ name: `template_${label}`, language: "en_US", category: "UTILITY", body: "Your order {{1}} is there." }) },
  ],
  "templates.list": [listed, { hidden: ({ label }) => ({ search: `template_${label}` }) }],
  "templates.counts": [listed],
  ...Object.fromEntries(["get", "versions", "submit", "delete"].map((name) => [`templates.${name}`, byId("templateId")])),
  "templates.usage": [{ hidden: ({ templateId }) => ({ ids: [templateId] }) }],
  "templates.update": [{ refused: ({ templateId }) => ({ id: templateId, body: "Thank you for your order." }) }],
  "templates.restore": [{ refused: ({ templateId }) => ({ id: templateId, version: 1 }) }],
  "templates.setHeaderMedia": [{ refused: ({ templateId }) => ({ id: templateId, url: "https://cdn.example/a.png" }) }],
  "templates.sync": [listed],
  "templates.syncState": [listed],
  "tokens.create": [{ hidden: () => ({ name: "x", role: "viewer" }) }],
  "tokens.list": [listed],
  "tokens.revoke": byId("tokenId"),
  "users.invite": [{ hidden: ({ member }) => ({ email: member.email, role: "viewer" }) }],
  "users.invites.list": [listed],
  "users.invites.revoke": byId("inviteId"),
  "users.list": [listed],
  "users.resetPassword": [{ refused: ({ member }) => ({ id: member.user.id }) }],
  "users.resetSecondFactor": [{ refused: ({ member }) => ({ id: member.user.id }) }],
  "users.setRole": [{ refused: ({ member }) => ({ id: member.user.id, role: "viewer" }) }],
  "users.remove": [{ refused: ({ member }) => ({ id: member.user.id }) }],
  "views.list": [listed],
  "views.create": [
    { refused: ({ siteId }) => ({ list: "log", name: "A", filter: { siteId } }) },
    { refused: ({ templateId }) => ({ list: "bindings", name: "A", filter: { templateId } }) },
  ],
  "views.update": [
    { refused: ({ viewId }) => ({ id: viewId, name: "A" }) },
    { refused: ({ siteId }, { viewId }) => ({ id: viewId, filter: { siteId } }) },
  ],
  "views.delete": byId("viewId"),
  "webhooks.create": [{ refused: ({ siteId }) => ({ siteId, url: "https://hooks.example/", types: ["message.sent"] }) }],
  "webhooks.list": [listed, { refused: ({ siteId }) => ({ siteId }) }],
  "webhooks.update": [{ refused: ({ webhookId }) => ({ id: webhookId, enabled: false }) }],
  "webhooks.delete": byId("webhookId"),
  "webhooks.rotateSecret": [{ refused: ({ siteId }) => ({ siteId }) }],
  "webhooks.test": byId("webhookId"),
  "webhookDeliveries.list": [listed, { hidden: ({ webhookId }) => ({ webhookId }) }, { hidden: ({ siteId }) => ({ siteId }) }],
  "webhookDeliveries.get": byId("deliveryId"),
  "webhookDeliveries.replay": byId("deliveryId"),
  "webhookDeliveries.replayFailed": [
    { refused: ({ webhookId }) => ({ webhookId, since: "2026-01-01" }) },
    { refused: ({ siteId }) => ({ siteId }) },
  ],
};

/** Procedures that are meant to tell a person of their other account, or lead there. */
const choices = new Set(["auth.me", "auth.switchAccount"]);

interface Try<C extends Case> {
  path: string;
  name: string;
  one: C;
}
const flat: Try<Case>[] = Object.entries(cases).flatMap(([path, tries]) =>
  tries.map((one, index) => ({ path, name: `${path} (${index + 1})`, one })),
);
const isHidden = (one: Try<Case>): one is Try<Hidden> => "hidden" in one.one;
const isRefused = (one: Try<Case>): one is Try<Refused> => "refused" in one.one;

describe("accounts are apart", () => {
  let admin: OpenAdmin;
  let theirs: FullAccount;
  let stored: string[];
  let made = 0;
  beforeAll(async () => {
    admin = await openAdmin({ isSandbox: true }, { sandbox: sharedPhone });
    theirs = await open();
    stored = await rowsOf(admin, theirs);
  });
  afterAll(async () => admin[Symbol.asyncDispose]());
  const open = async (): Promise<FullAccount> => fullAccount(admin, `q${(made += 1)}x`);
  const openFor = wholeAccounts(open);

  /** Calls as an owner of both accounts whose session works in `chosen`; nothing of the other changes. */
  const asMemberOfBoth = async (
    chosen: FullAccount,
    { path, input }: { path: string; input: object },
    check: (answer: ProcedureAnswer) => void,
  ): Promise<void> => {
    if (choices.has(path)) return;
    const [id, token] = [newId(), randomText(40)];
    await admin.sql`insert into app_user (id, email, name, password_hash) select ${id}, ${`${id}@example.com`}, name, password_hash from app_user where id = ${chosen.owner.user.id}`;
    for (const { account } of [theirs, chosen]) await insertMembership(admin.sql, { userId: id, accountId: account.id, role: "owner" });
    const expires_at = new Date(Date.now() + 60_000);
    await insertSession(admin.sql, {
      id: sessionId(token),
      handle: newId(),
      user_id: id,
      account_id: chosen.account.id,
      address: null,
      user_agent: null,
      way: "password",
      expires_at,
    });
    check(await callProcedure(admin, path, input, token));
    await admin.sql`delete from app_user where id = ${id}`;
    expect(await rowsOf(admin, theirs)).toEqual(stored);
  };

  it("at every procedure that there is", () => {
    expect(Object.keys(cases).toSorted()).toEqual(procedurePaths.toSorted());
  });

  it.each(["sites.list", "templates.list", "events.list", "users.list", "sandbox.messages"])("and %s would show it", async (path) => {
    const answer = await callProcedure(admin, path, {}, theirs.owner.token);
    expect(traces(answer.text, theirs, {})).not.toEqual([]);
  });

  it.each(flat.filter(isHidden))("$name: hides it", async ({ path, one }) => {
    const mine = await openFor(path);
    const input = one.hidden(theirs, mine);
    const answer = await callProcedure(admin, path, input, mine.owner.token);
    expect(traces(answer.text, theirs, input)).toEqual([]);
    await asMemberOfBoth(mine, { path, input }, ({ text }) => expect(traces(text, theirs, input)).toEqual([]));
  });

  it.each(flat.filter(isRefused))("$name: does not find it", async ({ path, one }) => {
    const mine = await openFor(path);
    const answer = await callProcedure(admin, path, one.refused(theirs, mine), mine.owner.token);
    expect(answer.code).toBe("NOT_FOUND");
    await asMemberOfBoth(mine, { path, input: one.refused(theirs, mine) }, ({ code }) => expect(code).toBe("NOT_FOUND"));
    // The account makes the difference: with rows of the caller's own the same call gets further.
    const own = await callProcedure(admin, path, one.refused(mine, mine), mine.owner.token);
    expect(own.code).not.toBe("NOT_FOUND");
  });

  it("also for totals, which name nobody", async () => {
    const [other, mine] = [await open(), await open()];
    const countOf = async ({ client }: FullAccount) => (await client.stats.overview.query(span)).totals.sent;
    expect(await countOf(mine)).toBe(1);
    await admin.sql`delete from notification where site_id = ${other.siteId}`;
    expect([await countOf(other), await countOf(mine)]).toEqual([0, 1]);
  });
});

/** Traces of the account in the text, except for the values of the input. */
function traces(text: string, { label, account, member, owner, ...ids }: FullAccount, input: object): string[] {
  const asked = JSON.stringify(input);
  const marks = [label, account.id, member.user.id, owner.user.id, ...Object.values(ids).filter((value) => typeof value === "string")];
  return marks.filter((mark) => mark !== ids.password && text.includes(mark) && !asked.includes(mark));
}

/** Everything that is stored of the account, as text. */
async function rowsOf({ sql }: OpenAdmin, { account }: FullAccount): Promise<string[]> {
  const rows = await sql<{ row: string }[]>`
    with own as (select id from site where account_id = ${account.id})
    select to_json(t)::text as row from account t where id = ${account.id}
    union all select to_json(t)::text from membership t where account_id = ${account.id}
    union all select to_json(t)::text from app_user t where id in (select user_id from membership where account_id = ${account.id})
    union all select to_json(t)::text from user_session t where account_id = ${account.id}
    union all select to_json(t)::text from password_reset t where account_id = ${account.id}
    union all select to_json(t)::text from totp t where user_id in (select user_id from membership where account_id = ${account.id})
    union all select to_json(t)::text from recovery_code t where user_id in (select user_id from membership where account_id = ${account.id})
    union all select to_json(t)::text from passkey t where user_id in (select user_id from membership where account_id = ${account.id})
    union all select to_json(t)::text from challenge t where user_id in (select user_id from membership where account_id = ${account.id})
    union all select to_json(t)::text from access_token t where account_id = ${account.id}
    union all select to_json(t)::text from invite t where account_id = ${account.id}
    union all select to_json(t)::text from platform_account t where account_id = ${account.id}
    union all select to_json(t)::text from assistant t where account_id = ${account.id}
    union all select to_json(t)::text from assistant_use t where account_id = ${account.id}
    union all select to_json(t)::text from alert_channel t where account_id = ${account.id}
    union all select to_json(t)::text from template t where account_id = ${account.id}
    union all select to_json(t)::text from site t where account_id = ${account.id}
    union all select to_json(t)::text from site_secret t where site_id in (select id from own)
    union all select to_json(t)::text from site_recipient t where site_id in (select id from own)
    union all select to_json(t)::text from binding t where site_id in (select id from own)
    union all select to_json(t)::text from event t where site_id in (select id from own)
    union all select to_json(t)::text from notification t where site_id in (select id from own)
    union all select to_json(t)::text from customer_order t where site_id in (select id from own)
    union all select to_json(t)::text from operation t where account_id = ${account.id}
    union all select to_json(t)::text from requested_event t where account_id = ${account.id}
    union all select to_json(t)::text from backfill t where account_id = ${account.id}
    union all select to_json(t)::text from saved_view t where account_id = ${account.id}
    union all select to_json(t)::text from opt_out t where account_id = ${account.id} union all select to_json(t)::text from erasure t where account_id = ${account.id}
    union all select to_json(t)::text from event_payload t where site_id in (select id from own)
    union all select to_json(t)::text from audit_entry t where account_id = ${account.id}
    order by row`;
  return rows.map(({ row }) => row);
}
