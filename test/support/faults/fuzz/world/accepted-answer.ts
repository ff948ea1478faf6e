/** What an answer of 200 to an event said of it. */
export interface Accepted {
  eventId: string;
  dryRun: boolean;
  sent: number;
  failed: number;
}

const chats = ["no_bindings", "skipped_no_config", "skipped_no_phone", "sent", "partial", "failed"];
const liveMembers = "ok,event,event_id,order_id,chat,bindings_run,recipients_sent,recipients_failed";
const dryMembers = "ok,event,event_id,chat,bindings_run,dry_run,previews";
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the answer; a text when it is not as documented. */
export function readAccepted(body: string): Accepted | string {
  const json = JSON.parse(body) as Record<string, unknown>;
  const dryRun = json["dry_run"] === true;
  const { event_id: eventId, order_id: orderId = null, chat, bindings_run: run, previews } = json;
  const [sent = 0, failed = 0] = [json["recipients_sent"], json["recipients_failed"]];
  const isRight =
    Object.keys(json).join() === (dryRun ? dryMembers : liveMembers) &&
    json["ok"] === true &&
    typeof eventId === "string" &&
    uuid.test(eventId) &&
    (orderId === null || (typeof orderId === "string" && uuid.test(orderId))) &&
    chats.includes(String(chat)) &&
    [run, sent, failed].every((count) => Number.isInteger(count) && Number(count) >= 0) &&
    (!dryRun || (Array.isArray(previews) && previews.length === run)) &&
    JSON.stringify(json) === body;
  return isRight ? { eventId, dryRun, sent: Number(sent), failed: Number(failed) } : `no answer of ours: ${body.slice(0, 500)}`;
}
