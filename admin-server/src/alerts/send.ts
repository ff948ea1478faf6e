import type { ChannelKind } from "shared/core/alert/alert";
import type { ChannelRow } from "shared/db/alert/channel";
import { failureCode, type PostAnswer, retryAfterSeconds } from "shared/guarded-request";
import { webhookHeaders } from "shared/secrets/signature";
import { placeIn, readRecord } from "shared/secrets/vault";
import type { AdminContext } from "../context.ts";
import type { MailTry } from "../mail/mailer.ts";
import type { ChannelContent } from "./tell.ts";

/** The result of a try to reach a channel. */
export interface ChannelTry extends MailTry {
  /** Seconds that the other side asks for. */
  retryAfter: number | null;
  /** The other side says that there is no such address. */
  isGone: boolean;
}

const limits = { maxBytes: 4_096, timeoutMs: 10_000 };

/** Sends one message to a channel, once. The receiver knows it by `id`. Never throws for the sake of the other side. */
export async function sendToChannel(
  { vault, mailer, poster, config }: Pick<AdminContext, "vault" | "mailer" | "poster" | "config">,
  channel: ChannelRow,
  { id, content, now }: { id: string; content: ChannelContent; now: Date },
): Promise<ChannelTry> {
  const open = (what: "target" | "secret"): string | null => {
    const record = channel[what];
    return record === null ? null : readRecord(vault, record, placeIn(`alert_channel.${what}`, channel.account_id, channel.id));
  };
  const target = open("target");
  if (target === null) return failed("unreadable");
  if ("letter" in content) {
    if (mailer === null) return failed("no_mail_server");
    const tried = await mailer.send({ id, to: target, letter: content.letter });
    return { ...failed(null), ...tried, statusCode: tried.error === null ? 250 : tried.statusCode };
  }
  try {
    const postJson = async (url: string, value: object, kind: PostedKind): Promise<ChannelTry> => {
      const headers = { "content-type": "application/json", "user-agent": "Tidings" };
      return judge(await poster.post(url, { headers, body: JSON.stringify(value) }, limits), kind);
    };
    if ("text" in content) return await postJson(target, { text: content.text }, "slack");
    if ("card" in content) return await postJson(target, content.card, "teams");
    if ("incident" in content) return await postJson(config.pagerDutyUrl, { routing_key: target, ...content.incident }, "pagerduty");
    const secret = open("secret");
    if (secret === null) return failed("unreadable");
    const { body } = content;
    return judge(await poster.post(target, { headers: webhookHeaders(id, now, [secret], body), body }, limits), "webhook");
  } catch (error) {
    return failed(failureCode(error));
  }
}

export const failed = (error: string | null): ChannelTry => ({ error, statusCode: null, retryAfter: null, isFinal: false, isGone: false });

type PostedKind = Exclude<ChannelKind, "email">;

function judge({ statusCode, headers }: PostAnswer, kind: PostedKind): ChannelTry {
  if (statusCode >= 200 && statusCode < 300) return { ...failed(null), statusCode };
  // Slack answers 404 once a channel or its webhook is removed; elsewhere it may be a program that is being started.
  const isGone = statusCode === 410 || (kind === "slack" && statusCode === 404);
  const error = statusCode < 400 ? "redirect" : "refused";
  // PagerDuty answers 400 to what it will never take.
  const isFinal = isGone || (kind === "pagerduty" && statusCode === 400);
  return { error, statusCode, retryAfter: retryAfterSeconds(headers["retry-after"]), isFinal, isGone };
}
