import type { HeldMessage } from "shared/db/event/settle";
import { numberLimit, prolonged } from "shared/platform/errors/waits";
import type { SiteConfig } from "../sites/sites.ts";
import type { HandedResult } from "./outcome.ts";

/** The columns of a waiting message that do not follow from its result. */
type Row = Omit<HeldMessage, "held_for" | "seconds">;

/**
 * The results of messages of an event whose caller gets its answer now: those that WhatsApp takes later wait in the queue (`held`), and count as failed for
 * the answer alone. Where the site or the account wishes none of that, they fail.
 */
export function keepHeld<Message extends { id: string }>(
  site: SiteConfig,
  handed: readonly HandedResult[],
  messages: readonly Message[],
  rowOf: (message: Message) => Row,
) {
  const held: HeldMessage[] = [];
  const results = handed.map((result): HandedResult => {
    const { hold } = result;
    const message = hold && messages.find(({ id }) => id === result.id);
    if (!message || !site.retryAfterAnswer || site.retryHours === 0 || hold.seconds > site.retryHours * 3600) return result;
    held.push({
      ...rowOf(message),
      held_for: hold.isLimited === true ? numberLimit : hold.code,
      seconds: prolonged(hold.seconds, Math.random()),
    });
    return { ...result, status: "queued", local: true, error_code: hold.code, error_reason: null, error_detail: null };
  });
  return { results, held: held.length === 0 ? {} : { held } };
}
