import { phoneFinder } from "../../../core/phone-pattern.ts";
import type { Sql } from "../../connect.ts";
import { forgetSamples } from "../event-kind/forget-samples.ts";
import { names } from "./names.ts";
import type { PageResult, Person } from "./page.ts";

/** Forgets what a site holds of the person beside its log: few rows, looked through at once. */
export async function eraseOfSite(sql: Sql, { pattern, phones }: Person, siteId: string): Promise<PageResult> {
  const find = phoneFinder(pattern);
  let samples = 0;
  await forgetSamples(sql, [siteId], ({ sample }) => {
    const isNamed = sample !== null && find(sample);
    samples += Number(isNamed);
    return isNamed;
  });
  const kinds = await sql`delete from event_kind where site_id = ${siteId} and name ~ ${pattern.ascii}`;
  const recipients = await sql`delete from site_recipient where site_id = ${siteId} and phone = any(${phones}::text[])`;
  const labels = await sql`update site_recipient set label = '' where site_id = ${siteId} and ${names(sql, sql`label`, pattern)}`;
  const testPhone = await sql`update site set test_phone = null where id = ${siteId} and test_phone = any(${phones}::text[])`;
  // A key whose window is open keeps its duplicates from being sent: it is forgotten when it is over.
  const isNamed = sql`site_id = ${siteId} and (key ~ ${pattern.ascii} or ${names(sql, sql`body`, pattern)} or event ~ ${pattern.ascii})`;
  const keys = await sql`delete from idempotency where ${isNamed} and (body is not null or expires_at < now())`;
  const open = await sql`select from idempotency where ${isNamed}`;
  const counts = {
    event_kind: samples + kinds.count,
    site_recipient: recipients.count + labels.count,
    site: testPhone.count,
    idempotency: keys.count,
  };
  return { next: null, scanned: 0, counts, postponed: open.length };
}
