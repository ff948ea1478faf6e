import { storedText } from "shared/core/wording";
import { findTexts } from "shared/db/template";
import { hurryTemplatePoll } from "shared/db/template-poll";
import { type InFlight, encodeReference } from "shared/platform/client";
import { faultCodes, strangeCodes, switchedOffCode } from "shared/platform/errors/known-errors";
import { numberLimit, spamCode, tooFastCode } from "shared/platform/errors/waits";
import { sendTemplate, type SendResult } from "shared/platform/send";
import { writeComponents } from "shared/platform/template-json";
import { sealReport } from "shared/sealing/account-rows";
import { eventIds } from "shared/server/logger";
import { type GatewayContext, step } from "../context.ts";
import type { Notes } from "../sites/notes.ts";
import type { SiteConfig } from "../sites/sites.ts";
import type { AccountPause, Paused, PauseState } from "./account-pause.ts";
import { recordOptOutRefusals } from "./opt-outs.ts";
import { type Dispatch, type HandedResult, handSome, localFailure, notTried, type OutgoingMessage, toResult } from "./outcome.ts";
import type { Pace } from "./pace.ts";
import { askFirst, createThrottle } from "./throttle.ts";

/** How many messages are handed over at once; a crash leaves no more than these of an event in doubt. */
export const waveSize = 20;

interface Parts {
  pause: AccountPause;
  inFlight: Pick<InFlight, "timedOut" | "answered">;
  pace: Pace;
  notes: Pick<Notes, "sent">;
}

export function createDispatch(context: GatewayContext, parts: Parts): Dispatch {
  const { inFlight, pace, notes } = parts;
  const heed = createHeed(context, parts);

  /** Notes each message as soon as it has ended: a lost answer holds the account back until the next answer, even to a message of the same wave. */
  const noteOf =
    (accountId: string) =>
    (result: SendResult): SendResult => {
      if (result.kind === "in_doubt") inFlight.timedOut(accountId);
      else if (result.kind !== "deadline") inFlight.answered(accountId);
      return result;
    };

  const handAll: Dispatch = async (site, wave, limits) => {
    const access = site.platform;
    if (access === null) return wave.map((message) => notTried(site.id, message, "interrupted"));
    notes.sent(site.accountId, wave.length);
    limits.onBegin?.(wave);
    const { startBy, cutAt: deadline, fromQueue: once = false } = limits;
    const slot = site.messagesPerSecond === null ? undefined : () => pace.slot(site, startBy, !once);
    const note = noteOf(site.accountId);
    const sent = await Promise.all(
      wave.map((message) =>
        sendTemplate(context.platform, access.credentials, toTemplate(site, message), { startBy, deadline, slot, once }).then(note),
      ),
    );
    const unanswered = sent.filter(isUnanswered).length;
    if (unanswered > 0) notes.sent(site.accountId, 0, unanswered);
    if (sent.some(({ kind }) => kind === "refused")) await heed.refusals(site, wave, sent);
    return wave.map((message, i) => {
      const result = sealReport(site.rows, toResult(site.id, message, sent[i] as SendResult));
      const isUntried = result.error_code === "deadline" && result.errorClass === undefined && pace.isAway(site);
      return isUntried ? { ...result, isUntried } : result;
    });
  };

  const handLive = createGate(parts, heed, "account", createGate(parts, heed, "number", withRoom(context.clock, handAll)));
  const handTest = createTestDispatch(context);
  const handOver: Dispatch = (site, wave, limits) => (site.mode === "live" ? handLive : handTest)(site, wave, limits);
  const throttled = createThrottle(context, handOver);
  return (site, wave, limits) =>
    step(context, "dispatch", wave[0]?.event_id ?? "", () =>
      (wave.some(({ throttle }) => throttle) ? throttled : handOver)(site, wave, limits),
    );
}

/**
 * Hands the messages of test sites to the sandbox, with their templates, which it need not know. What it says of them concerns nobody else: the account, its
 * number and its people stay as they are.
 */
function createTestDispatch(context: GatewayContext): Dispatch {
  const { sandbox, sql } = context;
  return async (site, wave, limits) => {
    const { platform: access } = site;
    if (sandbox === undefined || access === null) return wave.map((message) => localFailure(site.id, message, "interrupted", noSandbox));
    const texts = await askFirst(context, wave, limits, () => findTexts(sql, site.accountId, wave));
    if (texts === null) return wave.map((message) => notTried(site.id, message, "deadline"));
    limits.onBegin?.(wave);
    const options = { startBy: limits.startBy, deadline: limits.cutAt, once: limits.fromQueue === true };
    const handed = wave.map(async (message) => {
      const text = texts.find(({ name, language }) => name === message.template && language === message.language);
      const sandboxTemplate = text && {
        category: text.category.toUpperCase(),
        parameter_format: text.definition.parameterFormat,
        components: writeComponents(text.definition),
      };
      const sent = await sendTemplate(sandbox, access.credentials, { ...toTemplate(site, message), sandboxTemplate }, options);
      return sealReport(site.rows, toResult(site.id, message, sent));
    });
    return await Promise.all(handed);
  };
}

const noSandbox = storedText("This server has no sandbox, so its test sites send nothing: start it with SANDBOX_URL, then resend.");

/**
 * While the number has reached its people of the day, marketing messages whose event is answered wait in the queue, where they may; those of the queue have
 * been judged by it.
 */
const withRoom =
  (clock: GatewayContext["clock"], next: Dispatch): Dispatch =>
  (site, wave, limits) => {
    const seconds = ((site.platform?.fullUntil ?? 0) - clock.monotonic()) / 1000;
    const mayWait = limits.fromQueue !== true && site.retryAfterAnswer && site.retryHours > 0;
    if (seconds <= 0 || !mayWait || !wave.some(({ marketing }) => marketing)) return next(site, wave, limits);
    const hold = { code: null, seconds, isLimited: true };
    const others = wave.filter(({ marketing }) => !marketing);
    return handSome(site, wave, others, limits, next, (message) => ({ ...localFailure(site.id, message, numberLimit, ""), hold }));
  };

/** Lets a wave pass (`next`) unless the account is stopped or the number limited: then nothing leaves, or one message that shows whether the others may. */
function createGate({ pause }: Parts, heed: ReturnType<typeof createHeed>, of: Paused, next: Dispatch): Dispatch {
  const reason = of === "account" ? "account_stopped" : spamCode;
  const handWhatMay = async (asked: PauseState | Promise<PauseState>, ...[site, wave, limits]: Parameters<Dispatch>) => {
    const hold = of === "number" || site.platform?.stopped?.waits === true ? { code: null, seconds: 0 } : null;
    const stopped = (message: OutgoingMessage): HandedResult => ({ ...notTried(site.id, message, reason), hold });
    const [first, ...rest] = wave;
    if ((await asked) === "paused" || !first) return wave.map(stopped);
    const [probe] = await next(site, [first], limits);
    if (probe?.status !== "sent") return [...(probe ? [probe] : []), ...rest.map(stopped)];
    await heed.goodProbe(of, site);
    return [probe, ...(rest.length > 0 ? await next(site, rest, limits) : [])];
  };
  return (site, wave, limits) => {
    const state = pause.state(site, of);
    return state === "none" ? next(site, wave, limits) : handWhatMay(state, site, wave, limits);
  };
}

/** Acts on what the platform says of the account or a recipient, for the sake of later messages; a failure here never costs these messages their results. */
function createHeed(context: GatewayContext, { pause, pace }: Pick<Parts, "pause" | "pace">) {
  const attempt = async (act: () => Promise<void>, wave: readonly OutgoingMessage[] = []): Promise<void> => {
    try {
      await act();
    } catch (error) {
      const events = eventIds(wave.map(({ event_id }) => event_id));
      context.log.error({ err: error, ...events }, "could not record what the platform said of the account or a recipient");
    }
  };
  return {
    async refusals(site: SiteConfig, wave: readonly OutgoingMessage[], sent: readonly SendResult[]): Promise<void> {
      const refused = sent.filter((result) => result.kind === "refused");
      if (refused.some(({ code }) => code === tooFastCode)) await attempt(() => pace.slowDown(site), wave);
      const stop = refused.find((result) => result.class === "account");
      if (stop) await attempt(() => pause.stop(site, stop), wave);
      const limit = refused.find(({ code }) => code === spamCode);
      if (limit) await attempt(() => pause.stop(site, limit, "number"), wave);
      if (wave.some(({ marketing }, i) => isStrange(sent[i], marketing === true)))
        await attempt(() => hurryTemplatePoll(context.sql, site.accountId), wave);
      await attempt(() => recordOptOutRefusals(context, site, wave, sent), wave);
    },
    goodProbe: (of: Paused, site: SiteConfig): Promise<void> => attempt(() => pause.resume(site, of)),
  };
}

/** Whether the platform knows the template otherwise than we do. */
const isStrange = (result: SendResult | undefined, marketing: boolean): boolean =>
  result?.kind === "refused" && (strangeCodes.has(result.code) || (result.code === switchedOffCode && !marketing));

/** Whether the platform gave no sensible answer: none, or that something is wrong with itself. */
const isUnanswered = (result: SendResult): boolean =>
  result.kind === "in_doubt" ||
  result.kind === "unexpected_answer" ||
  (result.kind === "deadline" && result.lastError !== undefined) ||
  (result.kind === "refused" && (faultCodes.has(result.code) || /^http_5\d\d$/.test(result.code)));

function toTemplate(site: SiteConfig, { id, attempt, template, language, components, to_phone: to, marketing }: OutgoingMessage) {
  const reference = encodeReference({ siteId: site.id, notificationId: id, attempt });
  const route = (marketing && site.platform?.marketingRoute) || "messages";
  return { to, template, language, components, reference, route };
}
