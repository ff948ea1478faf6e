import { type AnswerRow, eventOfIds, readAnswerByKey, noteReplays } from "shared/db/event/answer";
import { DatabaseTimeout, retryCollisions, withTimeout } from "shared/db/transaction";
import { isSameEvent } from "shared/sealing/stored-rows";
import { readValue } from "shared/secrets/row-codec";
import { repeat } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";
import { RequestRefused } from "../refusal.ts";
import { type Answer, composeAnswer } from "./answer.ts";
import type { AuthenticEvent } from "./authenticate.ts";
import type { Recover } from "./recover.ts";

/**
 * Waits for the original's answer and gives it again, byte for byte; null if the original is gone, so that this event may take its place. Throws
 * `id_already_used` if another event had this key, `still_in_progress` when the original needs longer than a client should wait.
 */
export type AnswerDuplicate = (event: AuthenticEvent, startedAt: number) => Promise<Answer | null>;

/** The pauses between two looks for the answer of an original that is under way at another gateway: 16 looks in 15 s. */
const firstPauseMs = 10;
const longestPauseMs = 2_000;
/** The last look begins this long before a client has waited for long enough. */
const lastLookMs = 10;

export function createAnswerDuplicate(
  { sql, clock, config }: GatewayContext,
  recover: Pick<Recover, "resume">,
  replays: Pick<Replays, "note">,
  originals: Pick<Originals, "ended">,
): AnswerDuplicate {
  return async (event, startedAt) => {
    const { site, dryRun, idempotencyKey } = event;
    const isOfShop = event.topic !== null;
    const text = event.idUntil === null || isOfShop ? null : event.text;
    const key = { siteId: site.id, event: isOfShop ? eventOfIds : event.name, key: idempotencyKey ?? "", dryRun, text };
    const { duplicateWaitMs, statementMs } = config.timeLimits;
    const giveUpAt = startedAt + duplicateWaitMs;
    const left = (): number => giveUpAt - lastLookMs - clock.monotonic();
    const inTime = async <T>(step: Promise<T>, limitMs = Infinity): Promise<T> =>
      withTimeout(step, Math.max(0, Math.min(giveUpAt - clock.monotonic(), limitMs)));
    const look = async (): Promise<AnswerRow | null> =>
      inTime(readAnswerByKey(sql, key), statementMs).catch((error: unknown) => {
        // A database that had less time than a statement may take is not said to be away.
        throw error instanceof DatabaseTimeout && error.ms < statementMs ? new RequestRefused("still_in_progress") : error;
      });
    let resumed = false;
    for (let pauseMs = firstPauseMs; clock.monotonic() < giveUpAt; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const row = await look();
      if (!row) return null;
      if (!isSameEvent(site.rows, row, event.text)) throw new RequestRefused("id_already_used");
      if (row.chat !== null) {
        replays.note(row.site_id, row.event_id);
        const body = readValue(site.rows, row.body, "idempotency.body", row.event_id, null);
        if (body === null && row.body !== null) throw new RequestRefused("secret_unreadable");
        return replay({ ...row, body }, row.chat, isOfShop);
      }
      if (row.lapsed && !resumed) {
        resumed = true;
        // Continues in the background when it takes longer than this client waits.
        await inTime(recover.resume(row.site_id, row.event_id)).catch(() => undefined);
        continue;
      }
      if (row.in_doubt || left() <= 0) break;
      await originals.ended(row.event_id, { atMost: left(), elsewhere: pauseMs });
    }
    throw new RequestRefused("still_in_progress");
  };
}

/** The events that this process is sending: their duplicates need not ask the database when they are answered. */
export interface Originals {
  begin(eventId: string): void;
  /** The event is answered, or given up here. */
  end(eventId: string): void;
  /** Waits for the end of an event that is under way here, or `elsewhere` ms for another. */
  ended(eventId: string, ms: { atMost: number; elsewhere: number }): Promise<void>;
}

export function createOriginals(): Originals {
  const underWay = new Map<string, (() => void)[] | null>();
  return {
    begin: (eventId) => void underWay.set(eventId, null),
    end(eventId) {
      const waiting = underWay.get(eventId);
      underWay.delete(eventId);
      waiting?.forEach((wake) => wake());
    },
    ended: (eventId, { atMost, elsewhere }) =>
      new Promise((wake) => {
        const waiting = underWay.get(eventId);
        const isHere = waiting !== undefined;
        const timer = setTimeout(wake, isHere ? atMost : Math.min(elsewhere, atMost));
        if (isHere) underWay.set(eventId, [...(waiting ?? []), () => (clearTimeout(timer), wake())]);
      }),
  };
}

function replay(row: AnswerRow, outcome: string, toShop: boolean): Answer {
  const answer = row.body === null ? composeAnswer(row, outcome, toShop) : { status: 200, body: row.body, eventId: row.event_id };
  return { ...answer, headers: { ...answer.headers, "X-Service-Idempotent-Replay": "true" } };
}

/** Counts how often an event's answer was given again, so that operators see why a second request sent nothing. */
export interface Replays {
  /** Costs no statement of its own. */
  note(siteId: string, eventId: string): void;
  /** Writes the remaining counts. */
  stop(): Promise<void>;
}

/** Events counted at a time; duplicates of others go uncounted. */
const maxCounted = 10_000;

/** Counts are gathered and written in one statement periodically. A crash or a lost database loses the counts that are not yet written. */
export function createReplays({ sql, log, config }: Pick<GatewayContext, "sql" | "log" | "config">): Replays {
  const { replaysMs, statementMs } = config.timeLimits;
  let pending = new Map<string, { site_id: string; id: string; times: number }>();

  const write = async (): Promise<void> => {
    const replays = [...pending.values()];
    pending = new Map();
    if (replays.length > 0)
      await withTimeout(
        retryCollisions(async () => noteReplays(sql, replays)),
        statementMs,
      );
  };
  const stop = repeat(write, replaysMs, log);

  return {
    note(siteId, eventId) {
      const known = pending.get(eventId);
      if (known) known.times += 1;
      else if (pending.size < maxCounted) pending.set(eventId, { site_id: siteId, id: eventId, times: 1 });
    },
    stop: async () => {
      await stop();
      await write().catch((error: unknown) => log.debug({ err: error }, "counts of duplicates not written"));
    },
  };
}
