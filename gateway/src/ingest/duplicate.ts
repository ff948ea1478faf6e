import { type AnswerRow, eventOfIds, readAnswerByKey } from "shared/db/event/answer";
import { DatabaseTimeout, retryWhileAway, withTimeout } from "shared/db/statement";
import { isSameEvent } from "shared/sealing/account-rows";
import { readValue } from "shared/secrets/row-codec";
import type { GatewayContext } from "../context.ts";
import type { Worker } from "../owning/worker.ts";
import { RequestRefused } from "../refusal.ts";
import type { Notes } from "../sites/notes.ts";
import { type Answer, composeAnswer } from "./answer.ts";
import type { AuthenticEvent } from "./authenticate.ts";
import type { EventKey } from "./plan.ts";
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

interface Parts {
  recover: Pick<Recover, "resume">;
  /** The events that are under way here: their duplicates need not ask the database when they are answered. */
  events: Pick<Worker<EventKey>, "ended">;
  notes: Pick<Notes, "refused" | "replayed">;
}

export function createAnswerDuplicate(context: GatewayContext, { recover, events, notes }: Parts): AnswerDuplicate {
  const { sql, clock, config } = context;
  return async (event, startedAt) => {
    const { site, dryRun, idempotencyKey } = event;
    const isOfShop = event.topic !== null;
    const text = event.isSignedId ? event.text : null;
    const key = { siteId: site.id, event: isOfShop && text === null ? eventOfIds : event.name, key: idempotencyKey ?? "", dryRun, text };
    const { duplicateWaitMs, claimMs, statementMs } = config.timeLimits;
    const giveUpAt = startedAt + duplicateWaitMs;
    const left = (): number => giveUpAt - lastLookMs - clock.monotonic();
    const inTime = async <T>(step: Promise<T>, limitMs = Infinity): Promise<T> =>
      withTimeout(step, Math.max(0, Math.min(giveUpAt - clock.monotonic(), limitMs)));
    const look = async (): Promise<AnswerRow | null> =>
      retryWhileAway(
        () => inTime(readAnswerByKey(sql, key), statementMs),
        (pauseMs) => clock.monotonic() + pauseMs < Math.min(startedAt + claimMs, giveUpAt),
      ).catch((error: unknown) => {
        // A database that had less time than a statement may take is not said to be away.
        throw error instanceof DatabaseTimeout && error.ms < statementMs ? new RequestRefused("still_in_progress") : error;
      });
    let resumed = false;
    for (let pauseMs = firstPauseMs; clock.monotonic() < giveUpAt; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const row = await look();
      if (!row) return null;
      if (!isSameEvent(site.rows, row, event.text)) {
        const used = new RequestRefused("id_already_used");
        notes.refused(site, { headers: {}, event: event.name, receivedAt: clock.now(), body: Buffer.from(event.text) }, used);
        throw used;
      }
      if (row.chat !== null) {
        notes.replayed(row.site_id, row.event_id);
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
      await events.ended(row.event_id, { atMost: left(), elsewhere: pauseMs });
    }
    throw new RequestRefused("still_in_progress");
  };
}

function replay(row: AnswerRow, outcome: string, toShop: boolean): Answer {
  const answer = row.body === null ? composeAnswer(row, outcome, toShop) : { status: 200, body: row.body, eventId: row.event_id };
  return { ...answer, headers: { ...answer.headers, "X-Service-Idempotent-Replay": "true" } };
}
