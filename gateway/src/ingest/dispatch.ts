import { printJson, type JsonValue } from "shared/core/json";
import { optOutKey } from "shared/core/message";
import { storedText } from "shared/core/wording";
import type { NotificationResult } from "shared/db/event/settle";
import { isDatabaseAway, withTimeout } from "shared/db/transaction";
import { giveThrottledBack, takeThrottled, type ThrottleMark } from "shared/db/waiting/pace";
import { type InFlight, encodeReference } from "shared/platform/client";
import type { ErrorClass } from "shared/platform/errors/error-class";
import { sendTemplate, type SendOptions, type SendResult, type TemplateMessage } from "shared/platform/send";
import { sealReport } from "shared/sealing/stored-rows";
import { doublingPause, retry } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";
import type { AccountPause, PauseState } from "./account-pause.ts";
import { recordOptOutRefusals } from "./opt-outs.ts";
import { localFailure, type OutgoingMessage } from "./outgoing.ts";
import type { Pace } from "./pace.ts";

/**
 * Hands one wave over; answers each message's result, in order. Never throws for the platform's sake. Nothing is handed over after `startBy`, which
 * must lie within the lease: a process that was suspended must not send after a take-over.
 */
export type Dispatch = (site: SiteConfig, wave: OutgoingMessage[], limits: SendLimits) => Promise<HandedResult[]>;

export interface HandedResult extends NotificationResult {
  /** The class of a refusal; `transient` also where the platform could not be reached. Null otherwise. */
  errorClass?: ErrorClass | null | undefined;
}

/** Monotonic ms: no attempt starts after `startBy`, and one that is under way at `cutAt` is in doubt. */
export interface SendLimits {
  startBy: number;
  cutAt: number;
  /** True for messages of the queue: refusals are tried again later, and requests of events that somebody waits for go first. */
  fromQueue?: boolean | undefined;
  /** Called before messages may leave: from then on only their results tell whether they did. */
  onBegin?: ((wave: readonly OutgoingMessage[]) => void) | undefined;
}

type DispatchContext = Pick<GatewayContext, "platform" | "log" | "sql" | "vault" | "config" | "clock">;

export function createDispatch(context: DispatchContext, pause: AccountPause, inFlight: InFlight, pace: Pace): Dispatch {
  const heed = createHeed(context, pause, pace);

  /** Notes each message as soon as it has ended: a lost answer holds the account back until the next answer, even to a message of the same wave. */
  const noteOf =
    (accountId: string) =>
    (result: SendResult): SendResult => {
      if (result.kind === "in_doubt") inFlight.timedOut(accountId);
      else if (result.kind !== "deadline") inFlight.answered(accountId);
      return result;
    };

  const handAll = async (site: SiteConfig, wave: OutgoingMessage[], limits: SendLimits): Promise<HandedResult[]> => {
    const access = site.platform;
    if (access === null) return wave.map((message) => disconnected(site, message));
    pace.note(site.accountId, wave.length);
    limits.onBegin?.(wave);
    const options = toOptions(site, limits, pace);
    const note = noteOf(site.accountId);
    const sent = await Promise.all(
      wave.map((message) => sendTemplate(context.platform, access.credentials, toTemplate(site, message), options).then(note)),
    );
    if (sent.some(({ kind }) => kind === "refused")) await heed.refusals(site, wave, sent);
    return sent.map((result, i) => sealReport(site.rows, toResult(site, wave[i] as OutgoingMessage, result)));
  };

  const handWhatMay = async (
    asked: Exclude<PauseState, "none"> | Promise<Exclude<PauseState, "none">>,
    ...[site, wave, limits]: Parameters<Dispatch>
  ): Promise<HandedResult[]> => {
    const state = await asked;
    const [first, ...rest] = wave;
    if (state === "paused" || !first) return wave.map((message) => stopped(site, message));
    const [probe] = await handAll(site, [first], limits);
    if (!probe || !isGood(probe)) return [...(probe ? [probe] : []), ...rest.map((message) => stopped(site, message))];
    await heed.goodProbe(site);
    return [probe, ...(await handAll(site, rest, limits))];
  };

  return (site, wave, limits) => {
    const state = pause.state(site);
    return state === "none" ? handAll(site, wave, limits) : handWhatMay(state, site, wave, limits);
  };
}

function toTemplate(site: SiteConfig, { id, attempt, template, language, components, toPhone }: OutgoingMessage): TemplateMessage {
  const reference = encodeReference({ siteId: site.id, notificationId: id, attempt });
  return { to: toPhone, template, language, components, reference };
}

function toOptions(site: SiteConfig, { startBy, cutAt, fromQueue = false }: SendLimits, pace: Pace): SendOptions {
  const slot = site.messagesPerSecond === null ? undefined : () => pace.slot(site, startBy, !fromQueue);
  return { startBy, deadline: cutAt, slot, once: fromQueue };
}

/** Acts on the platform's answers for the sake of later messages; a failure here never costs these messages their results. */
function createHeed(context: DispatchContext, pause: AccountPause, pace: Pace) {
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      context.log.error({ err: error }, "could not record what the platform said of the account or a recipient");
    }
  };
  return {
    async refusals(site: SiteConfig, wave: readonly OutgoingMessage[], sent: readonly SendResult[]): Promise<void> {
      const refused = sent.filter((result) => result.kind === "refused");
      if (refused.some(({ code }) => code === tooFastCode)) await attempt(() => pace.slowDown(site));
      const stop = refused.find(({ stopsAccount }) => stopsAccount);
      if (stop) await attempt(() => pause.stop(site, stop));
      const sends = wave.map(({ toPhone }, i) => ({ toPhone, result: sent[i] ?? null }));
      await attempt(() => recordOptOutRefusals(context, site, sends));
    },
    goodProbe: (site: SiteConfig): Promise<void> => attempt(() => pause.resume(site)),
  };
}

/** The platform's code for a number that sends too fast. */
export const tooFastCode = "130429";

function classOf(result: SendResult): ErrorClass | null {
  return result.kind === "deadline" && result.lastError !== undefined ? "transient" : null;
}

const isGood = (result: NotificationResult): boolean => result.status === "sent";

/** Our code for a message that was not tried, as its account is stopped. */
export const stoppedCode = "account_stopped";

const stopped = (site: SiteConfig, message: OutgoingMessage): NotificationResult =>
  localFailure(
    site.id,
    message,
    stoppedCode,
    storedText("WhatsApp refuses this account now. See the reason under Settings, Platform, then resend."),
  );

const disconnected = (site: SiteConfig, message: OutgoingMessage): NotificationResult =>
  localFailure(
    site.id,
    message,
    "interrupted",
    storedText("WhatsApp is no longer connected. Connect it under Settings, Platform, then resend."),
  );

function toResult(site: SiteConfig, message: OutgoingMessage, result: SendResult): HandedResult {
  if (result.kind !== "accepted" && result.kind !== "refused")
    return { ...localFailure(site.id, message, result.kind, reasonOf(result)), errorClass: classOf(result) };
  const refused = result.kind === "refused" ? result : null;
  return {
    site_id: site.id,
    event_id: message.eventId,
    id: message.id,
    attempt: message.attempt,
    status: refused ? "failed" : "sent",
    local: false,
    wa_message_id: result.kind === "accepted" ? result.waMessageId : null,
    error_code: refused && refused.code,
    error_reason: refused && refused.reason,
    error_detail: refused && printJson((refused.detail ?? null) as JsonValue),
    errorClass: refused && refused.class,
  };
}

function reasonOf(result: Exclude<SendResult, { kind: "accepted" | "refused" }>): string {
  return result.kind === "deadline" && result.lastError ? `${result.reason} (${result.lastError})` : result.reason;
}

/** Fails messages whose bindings allow no more of them to their phones now. Without such bindings it costs nothing. */
export function createThrottledDispatch(
  context: Pick<GatewayContext, "sql" | "config" | "log" | "vault" | "clock">,
  dispatch: Dispatch,
): Dispatch {
  const { sql, log, vault, clock } = context;
  const limitMs = context.config.timeLimits.statementMs;

  /** Asks again while the database is away and there is time: nothing has left yet. The count may stand there already, as an answer can be lost. */
  const countThose = (site: SiteConfig, limited: readonly OutgoingMessage[], { startBy }: SendLimits): Promise<ThrottleMark[]> => {
    const messages = limited.flatMap(({ id, toPhone, attempt, throttle }) => {
      if (!throttle) return [];
      const { bindingId: binding_id, ...limit } = throttle;
      return { id, binding_id, phone_hash: vault.fingerprint(optOutKey(site.accountId, toPhone)), again: attempt > 1, ...limit };
    });
    return retry(
      (attempt) => withTimeout(takeThrottled(sql, attempt === 1 ? messages : messages.map((one) => ({ ...one, again: true }))), limitMs),
      {
        pauseMs: doublingPause,
        again: (error, _, pauseMs) => isDatabaseAway(error) && clock.monotonic() + pauseMs < startBy,
      },
    );
  };

  /** Messages that did not leave after all no longer count against the limit. */
  const giveBack = async (marks: readonly ThrottleMark[]): Promise<void> => {
    if (marks.length === 0) return;
    await withTimeout(giveThrottledBack(sql, marks), limitMs).catch((error: unknown) => {
      log.warn({ err: error }, "messages that did not leave count for their throttle");
    });
  };

  const handAllowed: Dispatch = async (site, wave, limits) => {
    const limited = wave.filter(({ throttle }) => throttle);
    const marks = await countThose(site, limited, limits).catch((error: unknown) => {
      // The queue has them wait; nobody else would.
      if (limits.fromQueue) throw error;
      log.warn({ err: error }, "messages with a throttle are not sent, as the database does not answer");
      return null;
    });
    const allowed = new Set(marks?.map(({ id }) => id));
    const free = wave.filter(({ id, throttle }) => !throttle || allowed.has(id));
    const results = free.length > 0 ? await dispatch(site, free, limits) : [];
    const byId = new Map(results.map((result) => [result.id, result]));
    await giveBack((marks ?? []).filter(({ id }) => !hasLeft(byId.get(id))));
    return wave.map((message) => byId.get(message.id) ?? (marks === null ? uncounted : throttled)(site, message));
  };

  return (site, wave, limits) => (wave.some(({ throttle }) => throttle) ? handAllowed : dispatch)(site, wave, limits);
}

const uncounted = (site: SiteConfig, message: OutgoingMessage): HandedResult =>
  localFailure(site.id, message, "deadline", storedText("The database did not answer in time, so this message was not sent. Resend it."));

const throttled = (site: SiteConfig, message: OutgoingMessage): HandedResult =>
  localFailure(
    site.id,
    message,
    "throttled",
    storedText("The phone already got as many of this binding's messages as the binding allows in that time."),
  );

/** True also when it is unknown whether the message left. */
const hasLeft = (result: HandedResult | undefined): boolean =>
  result !== undefined && (result.status === "sent" || result.error_code === "in_doubt" || result.error_code === "unexpected_answer");
