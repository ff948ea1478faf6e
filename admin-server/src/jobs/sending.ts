import { nextTry } from "shared/core/webhook";
import { disableGone, findChannel } from "shared/db/alert/channel";
import { listMemberships } from "shared/db/membership";
import { type ClaimedOutgoing, outcomeOf, outgoing, type SendOutcome } from "shared/db/outbox";
import { type DueWork, type Lease, workOffDue } from "shared/db/owned";
import { insertPasswordResetByMail } from "shared/db/password-reset";
import { inTransaction } from "shared/db/statement";
import { findUserByEmail } from "shared/db/user";
import { randomText } from "shared/secrets/signature";
import { placeIn, readRecord } from "shared/secrets/vault";
import { repeat } from "shared/server/retry";
import { type ChannelTry, failed, sendToChannel } from "../alerts/send.ts";
import type { ChannelContent } from "../alerts/tell.ts";
import type { AdminContext } from "../context.ts";
import { resetLetter } from "../mail/letters.ts";
import { enqueueMail, type MailContent } from "../mail/outbox.ts";
import { digest } from "../session/sessions.ts";

/** All in milliseconds, except `scale`. */
export const defaultSendingTimes = {
  /** Between two looks at what is due. */
  tickMs: 1_000,
  /** The time after which another server sends the message: longer than a try takes. */
  leaseMs: 60_000,
  /** A factor of the waits between tries; 1 except in tests. */
  scale: 1,
};
export type SendingTimes = typeof defaultSendingTimes;

/** One server sends this many of each kind at a time. */
const mostAtOnce = 4;

/** Sends the messages in the outbox, each at one server at a time. The returned function stops it. */
export function startSending(context: AdminContext, times: SendingTimes): () => Promise<void> {
  const tables = context.mailer === null ? [outgoing.posts] : [outgoing.posts, outgoing.mails];
  const stops = tables.map((waiting) => sendFrom(waiting, context, times));
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

/** Looks for due messages: one statement a look while there are none. */
function sendFrom(waiting: DueWork<ClaimedOutgoing>, context: AdminContext, times: SendingTimes): () => Promise<void> {
  const { sql, log, stopping } = context;
  const how = { ...waiting, seconds: times.leaseMs / 1000, atOnce: mostAtOnce, stopping };
  const send = (row: ClaimedOutgoing, lease: Lease): Promise<void> => sendClaimed(context, waiting, row, lease, times.scale);
  return repeat(() => workOffDue(sql, how, send), times.tickMs, log, { pulse: context.pulse, quietMs: Math.max(times.tickMs, 5_000) });
}

/** Sends a message. If the server dies before the end, another one sends it under the same id. */
async function sendClaimed(context: AdminContext, waiting: DueWork<ClaimedOutgoing>, row: ClaimedOutgoing, lease: Lease, scale: number) {
  const { sql, log } = context;
  if (row.kind === "reset_request") return answerRequest(context, row, lease);
  const outcome = await send(context, row);
  if (outcome.error !== null)
    log.warn({ outboxId: row.id, kind: row.kind, reason: outcome.error, statusCode: outcome.statusCode }, "a message was not sent");
  await waiting.release(sql, row.id, lease, outcomeOf(sql, { ...outcome, again: outcome.again && outcome.again * scale }));
}

async function send(context: AdminContext, row: ClaimedOutgoing): Promise<SendOutcome> {
  if (row.expired) return { error: "expired", statusCode: null, again: null };
  const { error, statusCode, retryAfter, isFinal } = await tryToSend(context, row);
  return { error, statusCode, again: error === null || isFinal ? null : nextTry(row.failures + 1, retryAfter, Math.random()) };
}

async function tryToSend(context: AdminContext, row: ClaimedOutgoing): Promise<ChannelTry> {
  const content = readRecord(context.vault, row.content, placeIn("outbox.content", row.account_id ?? "", row.id));
  if (content === null) return failed("unreadable");
  if (row.channel_id !== null) return await tell(context, row, JSON.parse(content) as ChannelContent);
  return { ...failed(null), ...(await context.mailer?.send({ id: row.id, ...(JSON.parse(content) as MailContent) })) };
}

const sent: SendOutcome = { error: null, statusCode: null, again: null };

/** Sends to a channel of alerts, and switches off one that says that it is gone. */
async function tell(context: AdminContext, { id, account_id, channel_id }: ClaimedOutgoing, content: ChannelContent): Promise<ChannelTry> {
  const channel = await findChannel(context.sql, account_id ?? "", channel_id ?? "");
  if (channel === undefined || !channel.enabled) return { ...failed("disabled"), isFinal: true };
  const tried = await sendToChannel(context, channel, { id, content, now: context.clock() });
  if (tried.isGone) await disableGone(context.sql, channel.id);
  return tried;
}

/** Writes to the person with the address that was typed, if there is one. */
async function answerRequest(context: AdminContext, row: ClaimedOutgoing, lease: Lease): Promise<void> {
  const content = readRecord(context.vault, row.content, placeIn("outbox.content", "", row.id));
  await inTransaction(context.sql, async (sql) => {
    if (!(await outgoing.mails.extend(sql, row.id, lease))) return;
    if (content !== null && !row.expired) await mailReset({ ...context, sql }, (JSON.parse(content) as { email: string }).email);
    await outgoing.mails.release(sql, row.id, lease, outcomeOf(sql, sent));
  });
}

const resetLifeMs = 3_600_000;

async function mailReset(context: AdminContext, typed: string): Promise<void> {
  const { sql, config, clock } = context;
  const user = await findUserByEmail(sql, typed);
  const members = user === undefined ? [] : await listMemberships(sql, user.id);
  // The account that the new password will open.
  const member = members.find((each) => !each.require_sso) ?? members[0];
  if (member === undefined) return;
  const token = randomText(43);
  const expiresAt = new Date(clock().getTime() + resetLifeMs);
  const letter = resetLetter({ url: `${config.publicAdminUrl}/reset-password#${token}`, hours: 1, by: null });
  const { account_id: accountId, id: userId, email: to } = member;
  if (!(await enqueueMail(context, { kind: "reset", accountId, to, letter, expiresAt, by: null, isAsked: true }))) return;
  await insertPasswordResetByMail(sql, { user_id: userId, account_id: accountId, token_hash: digest(token), expires_at: expiresAt });
}
