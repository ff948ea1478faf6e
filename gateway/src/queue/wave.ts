import { optedOut } from "shared/core/plan";
import type { MessageComponent } from "shared/core/template/definition";
import { hearsCallbacks } from "shared/db/event/take-over";
import { isDatabaseAway } from "shared/db/transaction";
import { settleWaiting, type WaitingOutcome, type WaitingResult } from "shared/db/waiting/settle";
import type { DueSite, TakenMessage } from "shared/db/waiting/take";
import { readUnsent } from "shared/sealing/stored-rows";
import { doublingPause, retry } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";
import type { Dispatch, OutgoingMessage, SendLimits } from "../ingest/dispatch.ts";
import { optedOutIds } from "../ingest/opt-outs.ts";
import type { SiteConfig, SiteDirectory } from "../sites/sites.ts";
import { afterTry, failed, judge, untried } from "./judge.ts";

/** Judges messages that were taken, sends them and records what became of them; answers the sites where somebody's turn has come. */
export type SendWave = (messages: readonly TakenMessage[], limits: SendLimits) => Promise<DueSite[]>;

export function createSendWave(context: GatewayContext, sites: SiteDirectory, dispatch: Dispatch): SendWave {
  const { sql, clock, log, instanceId } = context;

  const current = async ({ site_id, site_version, account_version }: TakenMessage): Promise<SiteConfig | null> => {
    const known = sites.peek(site_id);
    const isCurrent = known?.siteVersion === site_version && known.accountVersion === account_version;
    return isCurrent ? known : await sites.refresh(site_id);
  };

  /** The messages of one site. */
  const sendOfSite = async (messages: readonly TakenMessage[], limits: SendLimits): Promise<WaitingResult[]> => {
    const outcomes = new Map<string, WaitingOutcome>();
    const [first] = messages;
    const site = first === undefined ? null : await current(first);
    if (site?.readable === false) return messages.map((message) => toResult(message, untried(unreadableSeconds)));
    const heard = messages.some(({ doubts }) => doubts > 0) && (await hearsCallbacks(sql, first?.account_id ?? ""));
    const good = messages.filter((message) => {
      const outcome = judge(message, site, heard, clock.now());
      if (outcome !== null) outcomes.set(message.id, outcome);
      return outcome === null;
    });
    if (site !== null && good.length > 0) await sendGood(site, good, limits, outcomes);
    return messages.map((message) => toResult(message, outcomes.get(message.id) ?? untried(0)));
  };

  const sendGood = async (site: SiteConfig, good: TakenMessage[], limits: SendLimits, outcomes: Map<string, WaitingOutcome>) => {
    const readable = good.map((message) => readUnsent(site.rows, message));
    const refused = await optedOutIds(context, site, readable);
    const ready: { message: TakenMessage; outgoing: OutgoingMessage }[] = [];
    for (const message of readable) {
      const { components } = message;
      if (refused.has(message.id)) outcomes.set(message.id, failed(message, optedOut.code, optedOut.reason));
      else if (components === null) outcomes.set(message.id, failed(message, "interrupted", unreadableReason));
      else ready.push({ message: { ...message, components }, outgoing: toOutgoing(message, components) });
    }
    const wave = ready.map(({ outgoing }) => outgoing);
    const results = wave.length > 0 ? await dispatch(site, wave, limits) : [];
    ready.forEach(({ message }, i) => {
      const result = results[i];
      if (result !== undefined) outcomes.set(message.id, afterTry(message, result, clock.now(), Math.random()));
    });
  };

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
    const results = await Promise.all(
      groups.map((group) =>
        sendOfSite(group, limits).catch((error: unknown) => {
          log.error({ err: error }, "waiting messages could not be sent now");
          return group.map((message) => toResult(message, untried(troubleSeconds)));
        }),
      ),
    );
    return await record(results.flat());
  };
}

const keepTryingMs = 10 * 60_000;
/** A stored secret of the site cannot be read: an operator has to enter it again. */
const unreadableSeconds = 60;
const troubleSeconds = 5;
const unreadableReason = "What it says was encrypted under a key that is gone, so it cannot be sent; post the event again.";

const toResult = ({ account_id, phone_hash, site_id, id }: TakenMessage, outcome: WaitingOutcome): WaitingResult => ({
  account_id,
  phone_hash,
  site_id,
  id,
  outcome,
});

const toOutgoing = (message: TakenMessage, components: string): OutgoingMessage => ({
  id: message.id,
  eventId: message.event_id,
  template: message.template,
  language: message.language,
  toPhone: message.to_phone,
  components: JSON.parse(components) as MessageComponent[],
  attempt: message.attempt,
  throttle: message.throttle && { id: message.id, binding_id: message.binding_id, phone_hash: message.phone_hash, ...message.throttle },
});
