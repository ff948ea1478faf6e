import { type AlertSwitches, alertKinds, type ChannelKind } from "shared/core/alert/alert";
import { addChannelInput, confirmChannelInput, updateAlertsInput, updateChannelInput } from "shared/core/input/alerts";
import { idInput, noInput, listInput } from "shared/core/input/values";
import { usualKinds } from "shared/core/problem/problem";
import { may, type Role } from "shared/core/role";
import { say } from "shared/core/wording";
import { findAccount } from "shared/db/account";
import {
  changeChannel,
  confirmChannel,
  countChannels,
  deleteChannel,
  findChannel,
  insertChannel,
  type ListedChannel,
  listChannels,
  replaceChannelSecret,
} from "shared/db/alert/channel";
import { alertSwitchesOf, findWatch, holdWatch, hurryWatch, saveWatch } from "shared/db/alert/watch";
import { newId } from "shared/db/ids";
import { takeTries } from "shared/db/login-try";
import { hasProvenOwner } from "shared/db/membership";
import { noteOpen } from "shared/db/problem/notice";
import { isPlace, listProblems, type ProblemRow } from "shared/db/problem/problem";
import { type Sql, inTransaction } from "shared/db/statement";
import { addressProblem } from "shared/guarded-request";
import { makeOutboundSecret, outboundSecretHint, randomText } from "shared/secrets/signature";
import { placeIn } from "shared/secrets/vault";
import type { z } from "zod";
import { type ChannelTry, sendToChannel } from "../alerts/send.ts";
import { testContents } from "../alerts/tell.ts";
import type { RequestContext } from "../context.ts";
import { writeInName } from "../mail/letters.ts";
import { addressHash, enqueueMail } from "../mail/outbox.ts";
import { secretHint } from "../platform-account.ts";
import { presentWords, shownDetail } from "../problems/look.ts";
import type { Caller } from "../session/caller.ts";
import { digest } from "../session/sessions.ts";
import { conflict, invalidInput, absent, notFound, requireUnchanged, tooMany } from "../trpc/errors.ts";
import { present, readPage } from "../trpc/paging.ts";
import { once, operatorCallProcedure, operatorProcedure, ownerProcedure, publicProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

const mostChannels = 10;

const adding = ownerProcedure.input(addChannelInput).use(once(async (ctx, id) => ({ channel: await readChannel(ctx, ctx.caller, id) })));

export const alertsRouter = router({
  /** What was told, or would have been if there were a channel: each problem's last opening. */
  list: viewerProcedure.input(listInput).query(({ ctx, input }) =>
    readPage(
      "alerts",
      input,
      (page) => listProblems(ctx.sql, ctx.caller.accountId, { alerted: true }, page),
      presentAlert(ctx.caller.role),
      {
        keyOf: ({ place }) => place,
        isKey: isPlace,
      },
    ),
  ),

  settings: operatorProcedure.input(noInput).query(({ ctx }) => readAlertSettings(ctx, ctx.caller)),

  update: ownerProcedure.input(updateAlertsInput).mutation(async ({ ctx, input }) => {
    const watch = await holdWatch(ctx.sql, ctx.caller.accountId);
    await requireUnchanged(watch, input, () => readAlertSettings(ctx, ctx.caller));
    const conditions = { ...watch.conditions };
    for (const kind of alertKinds) conditions[kind] = { ...conditions[kind], ...input.conditions?.[kind] };
    const { quietHours = watch.quiet_hours, urgentAlways = watch.urgent_always, weekly = watch.weekly } = input;
    await saveWatch(ctx.sql, { account_id: watch.account_id, conditions, quiet_hours: quietHours, urgent_always: urgentAlways, weekly });
    return readAlertSettings(ctx, ctx.caller);
  }),

  addChannel: adding.mutation(({ ctx, input }) => addChannel(ctx, ctx.caller, input)),

  updateChannel: ownerProcedure.input(updateChannelInput).mutation(async ({ ctx, input: { id, ifUpdatedAt, ...changes } }) => {
    const former = await readChannelRow(ctx, ctx.caller, id);
    await requireUnchanged(former, { ifUpdatedAt }, () => presentChannel(former, ctx.caller.role, ctx.clock()));
    await changeChannel(ctx.sql, ctx.caller.accountId, id, changes);
    return { channel: await readChannel(ctx, ctx.caller, id) };
  }),

  removeChannel: ownerProcedure.input(idInput).mutation(async ({ ctx, input: { id } }) => {
    if (!(await deleteChannel(ctx.sql, ctx.caller.accountId, id))) throw notFound("channel");
    return { id };
  }),

  rotateSecret: ownerProcedure.input(idInput).mutation(async ({ ctx, input: { id } }) => {
    const { accountId } = ctx.caller;
    const secret = makeOutboundSecret();
    const seal = await ctx.vault.sealer(ctx.sql);
    const sealed = { secret: seal(secret, placeIn("alert_channel.secret", accountId, id)), secret_hint: outboundSecretHint(secret) };
    if (!(await replaceChannelSecret(ctx.sql, accountId, id, sealed))) throw notFound("webhook");
    return { channel: { id }, secret };
  }),

  /** Sends a test and answers whether it arrived. */
  test: operatorCallProcedure.input(idInput).mutation(({ ctx, input: { id } }) => testChannel(ctx, ctx.caller, id)),

  /** Takes the token of the link that was mailed to an address. */
  confirm: publicProcedure.input(confirmChannelInput).mutation(({ ctx, input: { token } }) =>
    inTransaction(ctx.sql, async (sql) => {
      const channel =
        (await confirmChannel(sql, digest(token))) ?? absent("link, or it was used or is older than three days: ask to be added again");
      const { id, account_id: accountId, hint } = channel;
      await tellOpen(sql, accountId, id);
      await ctx.actAs({ accountId, name: hint, userId: null, tokenId: null }, { subject: id }, sql);
      return { channel: { id }, address: hint };
    }),
  ),
});

const presentAlert = (role: Role) => (row: ProblemRow) => ({
  ...present(row, "id", "kind"),
  /** The subject of the alert, such as a template, a site or an endpoint; null: the account. */
  subjectId: row.subject === "" ? null : row.subject,
  detail: shownDetail(row.detail, role),
  ...presentWords(row, role),
  ...present(row, "began_at"),
  raisedAt: row.opened_at.toISOString(),
  clearedAt: row.resolved_at?.toISOString() ?? null,
});

async function readAlertSettings({ sql, config, clock }: RequestContext, { accountId, role }: Caller) {
  const [watch, channels] = [await findWatch(sql, accountId), await listChannels(sql, accountId)];
  return {
    conditions: alertSwitchesOf(watch) satisfies AlertSwitches,
    quietHours: watch?.quiet_hours ?? null,
    urgentAlways: watch?.urgent_always ?? true,
    weekly: watch?.weekly ?? false,
    updatedAt: (watch?.updated_at ?? new Date(0)).toISOString(),
    /** The sender of e-mails; null: this server sends none. */
    mailFrom: config.mail?.from.address ?? null,
    channels: channels.map((row) => presentChannel(row, role, clock())),
  };
}

const readChannelRow = async ({ sql }: RequestContext, { accountId }: Caller, id: string) =>
  (await listChannels(sql, accountId)).find((each) => each.id === id) ?? absent("channel");

const readChannel = async (context: RequestContext, caller: Caller, id: string) =>
  presentChannel(await readChannelRow(context, caller, id), caller.role, context.clock());

const presentChannel = (row: ListedChannel, role: Role, now: Date) => ({
  name: row.name === "" ? channelNames[row.kind] : row.name,
  /** The kinds of problems that it is told of. */
  kinds: row.kinds ?? [...usualKinds],
  hint: row.kind === "email" && !may(role, "seeAlertAddresses") ? row.hint.replace(/^(.).*@/, "$1…@") : row.hint,
  ...present(row, "id", "kind", "secret_hint", "enabled", "disabled_because", "unconfirmed", "last_sent_at", "failures", "created_at"),
  updatedAt: row.updated_at.toISOString(),
  linkExpired: row.unconfirmed && row.confirm_until !== null && row.confirm_until < now,
});

/** The names of channels that got none. */
const channelNames: Record<ChannelKind, string> = {
  email: "E-mail",
  slack: "Slack",
  teams: "Microsoft Teams",
  pagerduty: "PagerDuty",
  webhook: "Webhook",
};

/** The most problems that a new channel is told of at once. */
const mostTold = 100;

/** Tells a channel of what is open, with the next look. */
async function tellOpen(sql: Sql, accountId: string, channelId: string): Promise<void> {
  await noteOpen(sql, accountId, channelId, mostTold);
  await hurryWatch(sql, accountId);
}

const confirmLifeMs = 3 * 86_400_000;

/** An address counts once its reader has opened the mailed link, so that nobody gets mails because somebody else wants it. */
async function addChannel(context: RequestContext, caller: Caller, input: z.output<typeof addChannelInput>) {
  const { sql, vault, config, clock, mailer } = context;
  const { accountId } = caller;
  // The lock keeps two simultaneous calls within the limit.
  await holdWatch(sql, accountId);
  if ((await countChannels(sql, accountId)) >= mostChannels)
    throw conflict("An account has at most {most} channels: remove one that is not used", { most: mostChannels });
  const target = input.kind === "email" ? input.address : input.kind === "pagerduty" ? input.routingKey : input.url;
  const problem = "url" in input ? addressProblem(target, config.allowPrivate) : null;
  if (problem !== null) throw invalidInput([{ path: ["url"], said: problem }]);
  if (input.kind === "email" && mailer === null) throw conflict("This server sends no e-mail: set SMTP_URL and MAIL_FROM on the server");
  const [id, token] = [newId(), randomText(43)];
  const secret = input.kind === "webhook" ? makeOutboundSecret() : null;
  const seal = await vault.sealer(sql);
  const confirmUntil = new Date(clock().getTime() + confirmLifeMs);
  const isNew = await insertChannel(sql, {
    id,
    account_id: accountId,
    kind: input.kind,
    name: input.name ?? "",
    kinds: input.kinds ?? null,
    target: seal(target, placeIn("alert_channel.target", accountId, id)),
    target_hash: input.kind === "email" ? addressHash(vault, target) : vault.fingerprint(`channel ${target}`),
    hint: input.kind === "email" ? target : "url" in input ? hintOf(target) : `…${secretHint(target)}`,
    secret: secret && seal(secret, placeIn("alert_channel.secret", accountId, id)),
    secret_hint: secret && outboundSecretHint(secret),
    // Teams and PagerDuty have the hash of a link that nobody gets: see the migration.
    confirm_hash: input.kind === "slack" || input.kind === "webhook" ? null : digest(token),
    confirm_until: input.kind === "email" ? confirmUntil : null,
  });
  if (!isNew) throw conflict("This channel exists already");
  if (input.kind === "email") {
    const letter = await writeInName(sql, caller, "confirmation", `${config.publicAdminUrl}/confirm-alerts#${token}`);
    const by = { address: context.address };
    if (!(await enqueueMail(context, { kind: "confirm", accountId, to: target, letter, expiresAt: confirmUntil, by }))) {
      throw (await hasProvenOwner(sql, accountId))
        ? conflict("Too many links were sent to this address or by this account: try again tomorrow")
        : conflict("Open the link that was sent to your own address first: until then, the account writes to nobody");
    }
  }
  await tellOpen(sql, accountId, id);
  return { channel: await readChannel(context, caller, id), ...(secret !== null && { secret }) };
}

/** The rest of an address is a secret. */
const hintOf = (url: string): string => `${new URL(url).host}/…${url.slice(-4)}`;

const testLimit = { most: 10, withinMinutes: 15 };

async function testChannel(context: RequestContext, { accountId }: Caller, id: string) {
  const { sql, config, clock } = context;
  const channel = (await findChannel(sql, accountId, id)) ?? absent("channel");
  if (channel.unconfirmed) throw conflict("The link that was sent to {hint} has not been opened yet", { hint: channel.hint });
  const taken = await takeTries(sql, [{ key: digest(`alert test ${accountId}`), ...testLimit }]);
  if ("waitSeconds" in taken) {
    const { most, withinMinutes } = testLimit;
    const said = say("At most {most} tests can be sent in {withinMinutes} minutes: try again later", { most, withinMinutes });
    throw tooMany(taken.waitSeconds, said);
  }
  const account = await findAccount(sql, accountId);
  const began = performance.now();
  let last: Pick<ChannelTry, "error" | "statusCode"> = { error: null, statusCode: null };
  for (const content of testContents(channel.kind, accountId, account?.name ?? "", config.publicAdminUrl, clock()))
    if (last.error === null) last = await sendToChannel(context, channel, { id: newId(), content, now: clock() });
  return {
    channel: { id },
    ok: last.error === null,
    statusCode: last.statusCode,
    error: last.error,
    ms: Math.round(performance.now() - began),
  };
}
