import { type InFlight, encodeReference } from "shared/platform/client";
import { sendTemplate, type SendOptions, type SendResult, type TemplateMessage } from "shared/platform/send";
import { sealReport } from "shared/sealing/stored-rows";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";
import type { AccountPause, PauseState } from "./account-pause.ts";
import { recordOptOutRefusals } from "./opt-outs.ts";
import { type HandedResult, notTried, type OutgoingMessage, toResult } from "./outcome.ts";
import type { Pace } from "./pace.ts";

/** How many messages are handed over at once; a crash leaves no more than these of an event in doubt. */
export const waveSize = 20;

/**
 * Hands one wave over; answers each message's result, in order. Never throws for the platform's sake. Nothing is handed over after `startBy`, which
 * must lie within the lease: a process that was suspended must not send after a take-over.
 */
export type Dispatch = (site: SiteConfig, wave: readonly OutgoingMessage[], limits: SendLimits) => Promise<HandedResult[]>;

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
  /** Acts on what the platform says of the account or a recipient, for the sake of later messages; a failure here never costs these messages their results. */
  const heed = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      context.log.error({ err: error }, "could not record what the platform said of the account or a recipient");
    }
  };
  const heedRefusals = async (site: SiteConfig, wave: readonly OutgoingMessage[], sent: readonly SendResult[]): Promise<void> => {
    const refused = sent.filter((result) => result.kind === "refused");
    if (refused.some(({ code }) => code === tooFastCode)) await heed(() => pace.slowDown(site));
    const stop = refused.find(({ stopsAccount }) => stopsAccount);
    if (stop) await heed(() => pause.stop(site, stop));
    const sends = wave.map(({ toPhone }, i) => ({ toPhone, result: sent[i] ?? null }));
    await heed(() => recordOptOutRefusals(context, site, sends));
  };

  /** Notes each message as soon as it has ended: a lost answer holds the account back until the next answer, even to a message of the same wave. */
  const noteOf =
    (accountId: string) =>
    (result: SendResult): SendResult => {
      if (result.kind === "in_doubt") inFlight.timedOut(accountId);
      else if (result.kind !== "deadline") inFlight.answered(accountId);
      return result;
    };

  const handAll = async (site: SiteConfig, wave: readonly OutgoingMessage[], limits: SendLimits): Promise<HandedResult[]> => {
    const access = site.platform;
    if (access === null) return wave.map((message) => notTried(site.id, message, "interrupted"));
    pace.note(site.accountId, wave.length);
    limits.onBegin?.(wave);
    const options = toOptions(site, limits, pace);
    const note = noteOf(site.accountId);
    const sent = await Promise.all(
      wave.map((message) => sendTemplate(context.platform, access.credentials, toTemplate(site, message), options).then(note)),
    );
    if (sent.some(({ kind }) => kind === "refused")) await heedRefusals(site, wave, sent);
    return wave.map((message, i) => sealReport(site.rows, toResult(site.id, message, sent[i] as SendResult)));
  };

  /** Hands over what a stopped account may send: nothing, or one message that shows whether the others may follow. */
  const handWhatMay = async (asked: PauseState | Promise<PauseState>, ...[site, wave, limits]: Parameters<Dispatch>) => {
    const stopped = (message: OutgoingMessage): HandedResult => notTried(site.id, message, "account_stopped");
    const [first, ...rest] = wave;
    if ((await asked) === "paused" || !first) return wave.map(stopped);
    const [probe] = await handAll(site, [first], limits);
    if (probe?.status !== "sent") return [...(probe ? [probe] : []), ...rest.map(stopped)];
    await heed(() => pause.resume(site));
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

/** The platform's code for a number that sends too fast. */
export const tooFastCode = "130429";
