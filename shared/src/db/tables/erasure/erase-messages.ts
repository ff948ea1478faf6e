import type { Sql } from "../../connect.ts";
import { names } from "./names.ts";
import { nextOf, type PageOf, type PageResult, type Person, readIds } from "./page.ts";

/**
 * Masks the person's phone in the log of messages, and empties what was said in those that name it. The lines stay. A message that is still to be sent is
 * left for later.
 */
export async function eraseMessages(sql: Sql, person: Person, page: PageOf): Promise<PageResult> {
  const ids = await readIds(sql, "notification", page, person.below);
  const { pattern, phones, mask } = person;
  const within = sql`site_id = ${page.siteId} and id > ${page.after} and id <= ${ids.at(-1) ?? page.after}`;
  const isTheirs = sql`to_phone = any(${phones}::text[])`;
  const isInReason = names(sql, sql`error_reason`, pattern);
  // Names of events are of ASCII.
  const isInEvent = sql`event ~ ${pattern.ascii}`;
  const isNamed = sql`(${isTheirs} or ${names(sql, sql`components`, pattern)} or ${isInReason} or ${names(sql, sql`error_detail`, pattern)} or ${isInEvent})`;
  const isOpen = sql`status in ('queued', 'sending')`;
  const open = await sql`select from notification where ${within} and ${isOpen} and ${isNamed}`;
  const changed = await sql`
    update notification set to_phone = case when ${isTheirs} then ${mask} else to_phone end, components = '[]', error_detail = null,
      error_reason = case when ${isInReason} then null else error_reason end,
      event = case when ${isInEvent} then 'erased' else event end,
      -- The platform's id holds the phone; something stays in its place, which says that there was one and keeps a late callback from entering it again.
      wa_message_id = case when ${isTheirs} and (wa_message_id is not null or error_code in ('in_doubt', 'interrupted')) then 'erased' else wa_message_id end
    where ${within} and not ${isOpen} and ${isNamed}`;
  return { next: nextOf(ids, page.limit), scanned: ids.length, counts: { notification: changed.count }, postponed: open.length };
}
