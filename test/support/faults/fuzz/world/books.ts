import type { Pool } from "shared/db/connect";
import { findEvent } from "shared/db/event/log";
import { parseReference } from "shared/platform/client";
import type { ScriptedPlatform } from "../../../gateway/scripted-platform.ts";
import type { Shop } from "../../../gateway/shop.ts";
import type { Accepted } from "./accepted-answer.ts";

/** What was signed, and by whom; each is there until it is found stored. */
export type Texts = Map<string, Shop>;

/** An event that a client was told was taken. */
export interface Claim extends Accepted {
  /** What it can be that was taken: what the client had sent on that connection. */
  texts: Texts;
}

/** What is stored and sent, held against what clients were told. */
export interface Books {
  /**
   * What is wrong since the last call: an answered event that is not stored as it was sent for the site that signed it, and once; a stored event that
   * nobody was answered for; a message that no accepted event explains. `unanswered`: what clients sent that did not wait for their answers.
   */
  check(claims: readonly Claim[], unanswered?: readonly Texts[]): Promise<string[]>;
}

interface StoredEvent {
  id: string;
  site_id: string;
  account_id: string;
  dry_run: boolean;
  sent: number;
  failed: number;
  others: number;
}

/** What is looked at again: a client that left may have its event stored a little after it is gone. */
const overlapMs = 5_000;

export function openBooks(sql: Pool, platform: Pick<ScriptedPlatform, "sends">): Books {
  let since = Date.now();
  /** Ids that were accounted for already. */
  const seen = new Set<string>();
  /** Clients that left, whose events may still come. */
  const left: Texts = new Map();

  return {
    check: async (claims, unanswered = []) => {
      const next = Date.now() - overlapMs;
      // First: an event is stored before anything of it is sent.
      const sends = platform.sends.splice(0);
      for (const [text, shop] of unanswered.flatMap((texts) => [...texts])) left.set(text, shop);
      const rows = (await readEvents(sql, since)).filter(({ id }) => !seen.has(id));
      const claimed = new Map(claims.map((claim) => [claim.eventId, claim]));
      const found = await Promise.all(rows.map(async (row) => eventProblems(sql, row, claimed.get(row.id), left)));
      for (const { id } of rows) seen.add(id);
      since = next;
      const stored = new Set(rows.map(({ id }) => id));
      return [
        ...claims.filter(({ eventId }) => !stored.has(eventId)).map(({ eventId }) => `answered, but not stored: ${eventId}`),
        ...(claimed.size < claims.length ? ["two requests were answered with the same event"] : []),
        ...found.flat(),
        ...(await sendProblems(sql, sends, seen)),
      ];
    },
  };
}

async function eventProblems(sql: Pool, row: StoredEvent, claim: Claim | undefined, left: Texts): Promise<string[]> {
  const text = (await findEvent(sql, row.account_id, row.id))?.payload ?? "";
  const name = `${row.id} (${text.slice(0, 200)})`;
  const shop = claim?.texts.get(text) ?? left.get(text);
  if (!shop) return [`stored, but ${claim ? "it was not sent like that, or twice" : "nobody was answered for it"}: ${name}`];
  claim?.texts.delete(text);
  left.delete(text);
  return [
    ...(row.site_id === shop.siteId ? [] : [`stored for another site than signed it: ${name}`]),
    ...(row.others === 0 || !claim ? [] : [`${row.others} messages are unsettled: ${name}`]),
    ...(claim && claim.dryRun !== row.dry_run ? [`live and dry run are mixed up: ${name}`] : []),
    ...(claim && (claim.sent !== row.sent || claim.failed !== row.failed)
      ? [`answered ${claim.sent} sent and ${claim.failed} failed, in the log are ${row.sent} and ${row.failed}: ${name}`]
      : []),
  ];
}

/** Every message is one of an event that was accounted for, live, and taken by the platform once. */
async function sendProblems(sql: Pool, sends: ScriptedPlatform["sends"], events: ReadonlySet<string>): Promise<string[]> {
  const ids = sends.map(({ body }) => parseReference(body.biz_opaque_callback_data)?.notificationId ?? "");
  const known = ids.filter((id) => id !== "");
  const rows = await sql<{ id: string; event_id: string; dry_run: boolean }[]>`
    select n.id, n.event_id, e.dry_run from notification n join event e on e.site_id = n.site_id and e.id = n.event_id
    where n.id = any(${[...new Set(known)]}::uuid[])`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [
    ...(new Set(ids).size < ids.length ? ["a message was sent twice"] : []),
    ...ids.flatMap((id) => {
      const row = byId.get(id);
      return row && !row.dry_run && events.has(row.event_id) ? [] : [`a message was sent that no accepted event explains: ${id}`];
    }),
  ];
}

const readEvents = async (sql: Pool, since: number): Promise<StoredEvent[]> => sql<StoredEvent[]>`
  select e.id, e.site_id, s.account_id, e.dry_run, count(n.id) filter (where n.status = 'sent')::integer as sent,
    count(n.id) filter (where n.status = 'failed')::integer as failed,
    count(n.id) filter (where n.status not in ('sent', 'failed'))::integer as others
  from event e join site s on s.id = e.site_id left join notification n on n.site_id = e.site_id and n.event_id = e.id
  where e.id >= ${firstIdOf(since)} group by e.id, e.site_id, s.account_id, e.dry_run`;

/** The smallest UUID of version 7 of that millisecond. */
const firstIdOf = (ms: number): string =>
  ms
    .toString(16)
    .padStart(12, "0")
    .replace(/^(.{8})(.{4})$/, "$1-$2-7000-8000-000000000000");
