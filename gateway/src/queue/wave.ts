import { optedOut } from "shared/core/plan";
import { hearsCallbacks } from "shared/db/event/take-over";
import { isDatabaseAway } from "shared/db/transaction";
import { settleWaiting, type WaitingOutcome, type WaitingResult } from "shared/db/waiting/settle";
import type { DueSite, TakenMessage } from "shared/db/waiting/take";
import { readUnsent, unreadableContent } from "shared/sealing/stored-rows";
import { doublingPause, retry } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";
import type { Dispatch, OutgoingMessage, SendLimits } from "../ingest/dispatch.ts";
import type { GatewayLease } from "../ingest/lease.ts";
import { optedOutIds } from "../ingest/opt-outs.ts";
import type { SiteConfig, SiteDirectory } from "../sites/sites.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { afterTry, failed, judge, untried } from "./judge.ts";

/** Judges messages that were taken, sends them and records what became of them; answers the sites where somebody's turn has come. */
export type SendWave = (messages: readonly TakenMessage[], limits: SendLimits) => Promise<DueSite[]>;

export interface WaveParts {
  sites: SiteDirectory;
  dispatch: Dispatch;
  lease: Pick<GatewayLease, "now">;
}

export function createSendWave(context: GatewayContext, parts: WaveParts): SendWave {
  const { sql, clock, log, instanceId } = context;
  const sendOfSite = createSendOfSite(context, parts);

  /** What the platform took must not be lost, however long the database is away. */
  const record = (results: readonly WaitingResult[]): Promise<DueSite[]> => {
    const end = clock.monotonic() + keepTryingMs;
    return retry(() => settleWaiting(sql, instanceId, results), {
      pauseMs: doublingPause,
      again: (error) => {
        const isWorthIt = isDatabaseAway(error) && clock.monotonic() < end;
        if (isWorthIt) log.warn({ err: error }, "results of waiting messages wait for the database");
        return isWorthIt;
      },
    });
  };

  return async (messages, limits) => {
    const sitesOfWave = [...new Set(messages.map(({ site_id }) => site_id))];
    const groups = sitesOfWave.map((siteId) => messages.filter(({ site_id }) => site_id === siteId));
    const outcomes = await Promise.all(
      groups.map((group) =>
        sendOfSite(group, limits).catch((error: unknown): WaitingOutcome[] => {
          log.error({ err: error }, "waiting messages could not be sent now");
          return group.map(() => untried(troubleSeconds));
        }),
      ),
    );
    await context.onStep?.("settle", messages[0]?.event_id ?? "");
    return await record(groups.flatMap((group, i) => group.map((message, j) => toResult(message, outcomes[i]?.[j]))));
  };
}

/** For the messages of one site, in their order. */
function createSendOfSite(context: GatewayContext, { sites, dispatch, lease }: WaveParts) {
  const { sql } = context;
  const scale = context.config.timeLimits.firstRetryMs / defaultTimeLimits.firstRetryMs;

  /** As it is now, which the messages tell. */
  const siteOf = async ({ site_id, site_version, account_version }: TakenMessage): Promise<SiteConfig | null> => {
    const known = sites.peek(site_id);
    const isCurrent = known?.siteVersion === site_version && known.accountVersion === account_version;
    return isCurrent ? known : await sites.refresh(site_id);
  };

  return async (messages: readonly TakenMessage[], limits: SendLimits): Promise<WaitingOutcome[]> => {
    const [first] = messages;
    const site = first === undefined ? null : await siteOf(first);
    if (site?.readable === false) return messages.map(() => untried(unreadableSeconds));
    const heard = messages.some(({ doubts }) => doubts > 0) && (await hearsCallbacks(sql, first?.account_id ?? ""));
    const judged = messages.map((message) => ({ message, outcome: judge(message, site, heard, lease.now()) }));
    const good = judged.flatMap(({ message, outcome }) => (outcome === null ? message : []));
    const sent = site === null || good.length === 0 ? new Map<string, WaitingOutcome>() : await sendGood(site, good, limits);
    return judged.map(({ message, outcome }) => outcome ?? sent.get(message.id) ?? untried(0));
  };

  /** Those that nothing but the recipient, the throttle and the platform can stop. */
  async function sendGood(site: SiteConfig, messages: readonly TakenMessage[], limits: SendLimits): Promise<Map<string, WaitingOutcome>> {
    const readable = messages.map((message) => readUnsent(site.rows, message));
    const refused = await optedOutIds(context, site, readable);
    const outcomes = new Map<string, WaitingOutcome>();
    const wave: OutgoingMessage[] = [];
    for (const message of readable) {
      if (refused.has(message.id)) outcomes.set(message.id, failed(message, optedOut.code, optedOut.reason));
      else if (message.components === null) outcomes.set(message.id, failed(message, "interrupted", unreadableContent));
      else wave.push(toOutgoing({ ...message, components: message.components }));
    }
    await context.onStep?.("dispatch", wave[0]?.eventId ?? "");
    const results = new Map((wave.length > 0 ? await dispatch(site, wave, limits) : []).map((result) => [result.id, result]));
    for (const message of messages) {
      const result = results.get(message.id);
      if (result !== undefined) outcomes.set(message.id, afterTry(message, result, { now: lease.now(), random: Math.random(), scale }));
    }
    return outcomes;
  }
}

const keepTryingMs = 10 * 60_000;
/** A stored secret of the site cannot be read: an operator has to enter it again. */
const unreadableSeconds = 60;
const troubleSeconds = 5;

const toResult = ({ account_id, phone_hash, site_id, id }: TakenMessage, outcome = untried(troubleSeconds) as WaitingOutcome) => ({
  account_id,
  phone_hash,
  site_id,
  id,
  outcome,
});

type ReadMessage = Omit<TakenMessage, "components"> & Pick<OutgoingMessage, "components">;

const toOutgoing = ({ id, event_id, binding_id, phone_hash, throttle, ...message }: ReadMessage): OutgoingMessage => ({
  id,
  eventId: event_id,
  template: message.template,
  language: message.language,
  toPhone: message.to_phone,
  components: message.components,
  attempt: message.attempt,
  throttle: throttle && { id, binding_id, phone_hash, ...throttle },
});
