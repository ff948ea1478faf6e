import { type AnswerRow, readAnswerByKey } from "shared/db/event/answer";
import { within } from "shared/db/transaction";
import type { GatewayContext } from "../context.ts";
import { type Answer, composeAnswer } from "./answer.ts";
import type { AuthenticEvent } from "./read-event.ts";
import type { Recover } from "./recover.ts";
import { Refusal } from "./refusal.ts";
import type { Replays } from "./replays.ts";

export interface AnswerDuplicate {
  /**
   * The original's answer, byte for byte, once there is one; null when there is no original any more, so that this one may take its place.
   * Throws `still_in_progress` when the original needs longer than a client should wait.
   */
  (event: AuthenticEvent, startedAt: number): Promise<Answer | null>;
}

export function createAnswerDuplicate(
  { sql, clock, config }: GatewayContext,
  recover: Pick<Recover, "resume">,
  replays: Pick<Replays, "note">,
): AnswerDuplicate {
  return async (event, startedAt) => {
    const key = { siteId: event.site.id, event: event.name, key: event.idempotencyKey ?? "", dryRun: event.dryRun };
    const giveUpAt = startedAt + config.timeLimits.duplicateWaitMs;
    const inTime = async <T>(step: Promise<T>): Promise<T> => within(Math.max(0, giveUpAt - clock.monotonic()), step);
    let resumed = false;
    for (let pause = 10; clock.monotonic() + pause < giveUpAt; pause = Math.min(pause * 2, 200)) {
      const row = await inTime(readAnswerByKey(sql, key));
      if (!row) return null;
      if (row.chat !== null) {
        replays.note(row.site_id, row.event_id);
        return replay(row, row.chat);
      }
      if (row.lapsed && !resumed) {
        resumed = true;
        // Goes on by itself when it takes longer than this client waits.
        await inTime(recover.resume(row.site_id, row.event_id)).catch(() => undefined);
        continue;
      }
      if (row.in_doubt) break;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    throw new Refusal("still_in_progress");
  };
}

function replay(row: AnswerRow, chat: string): Answer {
  const body = row.body ?? composeAnswer({ ...row, chat });
  return { status: 200, body, headers: { "X-Service-Idempotent-Replay": "true" }, eventId: row.event_id };
}
