import type { PhonePattern } from "../../core/phone-search.ts";
import { encryptedColumns } from "../encryption.ts";
import { forgetSamples } from "../event-kind.ts";
import { isUnfinished } from "../event/gateway-lease.ts";
import { forgetSearchRows } from "../event/search-rows.ts";
import { isOpen, isQueued } from "../notification/statuses.ts";
import { deleteRefusedRequests } from "../refused-request.ts";
import { forgetRequests } from "../requested-event.ts";
import { type Fragment, type Sql, scalars } from "../statement.ts";
import { cancelMessages, cancelOfEvents } from "../waiting/cancel.ts";

/** Erases the person from the events' rows: clients choose key, name and source freely, in ASCII. */
export async function eraseEvents(sql: Sql, { pattern: { ascii }, below }: Person, page: PageOf): Promise<PageResult> {
  const ids = await readIds(sql, "event", page, below);
  const within = sql`site_id = ${page.siteId} and id > ${page.after} and id <= ${ids.at(-1) ?? page.after}`;
  const isNamed = sql`(idempotency_key ~ ${ascii} or name ~ ${ascii} or source ~ ${ascii})`;
  const open = await sql`select from event where ${within} and ${sql.unsafe(isUnfinished("event"))} and ${isNamed}`;
  const changed = await sql`
    update event set idempotency_key = case when idempotency_key ~ ${ascii} then 'erased' else idempotency_key end,
      name = case when name ~ ${ascii} then 'erased' else name end, source = case when source ~ ${ascii} then 'erased' else source end
    where ${within} and not ${sql.unsafe(isUnfinished("event"))} and ${isNamed}`;
  return { next: nextOf(ids, page.limit), scanned: ids.length, counts: { event: changed.count }, postponed: open.length };
}

/** Deletes the orders that name the person. */
export async function eraseOrders(sql: Sql, person: Person, page: PageOf): Promise<PageResult> {
  const ids = await readIds(sql, "customer_order", page, null);
  // The texts stand on lines of their own, so that no match spans two of them.
  const texts = sql`concat_ws(E'\\n', external_id, number, status, total, currency)`;
  const sealed = await findSealed(sql, person, [...encryptedColumns.customer_order, "customer_order.number"], page.siteId, ids);
  const changed = await sql`
    delete from customer_order where site_id = ${page.siteId} and id > ${page.after} and id <= ${ids.at(-1) ?? page.after}
      and (${names(sql, texts, person.pattern)} or id = any(${idsOf(sealed)}::uuid[]) or id = any(${ordersOf(person)}::uuid[]))`;
  return { next: nextOf(ids, page.limit), scanned: ids.length, counts: { customer_order: changed.count }, postponed: 0 };
}

/**
 * Masks the person's phone in the message log and empties the content of messages that name it; the rows stay. Waiting messages are cancelled; those that
 * are being sent are postponed.
 */
export async function eraseMessages(sql: Sql, person: Person, page: PageOf): Promise<PageResult> {
  const ids = await readIds(sql, "notification", page, person.below);
  const { pattern, spellings, mask } = person;
  const sealed = await findSealed(sql, person, encryptedColumns.notification, page.siteId, ids);
  const inReason = idsOf(sealed.filter(({ columns }) => columns.includes("notification.error_reason")));
  const isTheirs = sql`to_phone = any(${spellings}::text[])`;
  const isInReason = sql`(${names(sql, sql`error_reason`, pattern)} or id = any(${inReason}::uuid[]))`;
  // Event names are ASCII.
  const isInEvent = sql`event ~ ${pattern.ascii}`;
  const naming = await sql<{ id: string; waits: boolean }[]>`
    select id, status in ('scheduled', 'queued') and ${sql.unsafe(isQueued("notification"))} as waits from notification
    where site_id = ${page.siteId} and id > ${page.after} and id <= ${ids.at(-1) ?? page.after}
      and (${isTheirs} or ${names(sql, sql`components`, pattern)} or ${isInReason} or ${names(sql, sql`error_detail`, pattern)} or ${isInEvent}
        or id = any(${idsOf(sealed)}::uuid[]))`;
  const result = { next: nextOf(ids, page.limit), scanned: ids.length };
  if (naming.length === 0) return { ...result, counts: {}, postponed: 0 };
  const found = sql`site_id = ${page.siteId} and id = any(${idsOf(naming)}::uuid[])`;
  const told = await sql`delete from webhook_delivery where notification_id = any(${idsOf(naming)}::uuid[])`;
  const waiting = naming.filter(({ waits }) => waits);
  if (waiting.length > 0) await cancelMessages(sql, page.siteId, idsOf(waiting), "person_erased");
  const open = sql.unsafe(isOpen("notification"));
  const postponed = await sql`select from notification where ${found} and ${open}`;
  const changed = await sql`
    update notification set to_phone = case when ${isTheirs} then ${mask} else to_phone end, components = '[]', error_detail = null,
      error_reason = case when ${isInReason} then null else error_reason end,
      event = case when ${isInEvent} then 'erased' else event end,
      -- The platform's id holds the phone. A placeholder shows that there was one, and keeps a late callback from writing it again.
      wa_message_id = case when ${isTheirs} and (wa_message_id is not null or error_code in ('in_doubt', 'interrupted')) then 'erased' else wa_message_id end
    where ${found} and not ${open}`;
  return { ...result, counts: { notification: changed.count, webhook_delivery: told.count }, postponed: postponed.length };
}

/** Erases the person from the account's own tables. An opt-out stays in force: only its digest is kept, which still recognizes the person. */
export async function eraseOfAccount(sql: Sql, person: Person, accountId: string, phoneHash: string): Promise<PageResult> {
  const users = await sql<{ user_hash: string }[]>`
    delete from platform_user where account_id = ${accountId} and phone_hash = ${phoneHash} returning user_hash`;
  const hashes = [phoneHash, ...users.map(({ user_hash }) => user_hash)];
  const optOuts = await sql`
    update opt_out set phone = null, user_id = null
    where account_id = ${accountId} and phone_hash = any(${hashes}::text[]) and active and coalesce(phone, user_id) is not null`;
  const words = await sql`delete from webhook_delivery where phone_hash = ${phoneHash}`;
  const lifted = await sql`delete from opt_out where account_id = ${accountId} and phone_hash = ${phoneHash} and not active`;
  const { pattern, encodedPattern } = person;
  const sealed = await sql<{ id: string; phone: string }[]>`
    select id, filter->>'phone' as phone from resend_job where account_id = ${accountId} and left(filter->>'phone', 3) = 's1.'`;
  const theirs = idsOf(sealed.filter(({ id, phone }) => person.isIn(phone, "resend_job.filter", id)));
  const isNamed = sql`(${names(sql, sql`filter::text`, pattern)} or id = any(${theirs}::uuid[]))`;
  const jobs = await sql`delete from resend_job where account_id = ${accountId} and finished_at is not null and ${isNamed}`;
  const views = await sql`
    delete from saved_view where account_id = ${accountId} and ${names(sql, sql`concat_ws(E'\\n', name, filter::text)`, pattern)}`;
  const versions = await sql`delete from object_version where account_id = ${accountId} and ${names(sql, sql`content::text`, pattern)}`;
  // The audit's chain stays whole: it holds only a digest of these values.
  const isTold = sql`(${names(sql, sql`content::text`, pattern)} or content->'subject'->>'after' ~ ${encodedPattern})`;
  const [told] = await sql<[{ count: string }]>`
    select empty_audit_values(${accountId}, coalesce(array_agg(entry_id), '{}')) as count from audit_value
    where account_id = ${accountId} and content is not null and ${isTold}`;
  const open = await sql`select from resend_job where account_id = ${accountId} and ${isNamed}`;
  const asking = await sql<
    { id: string; input: string }[]
  >`select id, input from operation where account_id = ${accountId} and input is not null`;
  const naming = asking.filter(({ id, input }) => person.isIn(input, "operation.input", id));
  const counts = {
    opt_out: optOuts.count + lifted.count,
    platform_user: users.count,
    webhook_delivery: words.count,
    resend_job: jobs.count,
    saved_view: views.count,
    object_version: versions.count,
    audit_entry: Number(told.count),
  };
  return { next: null, scanned: 0, counts, postponed: open.length + naming.length };
}

/** Erases the person from the site's small tables, in one go. */
export async function eraseOfSite(sql: Sql, person: Person, siteId: string): Promise<PageResult> {
  const { pattern, phones } = person;
  let samples = 0;
  await forgetSamples(sql, [siteId], ({ path, sample }) => {
    const isNamed = [path, sample ?? ""].some((text) => person.isIn(text, "event_kind.fields", siteId));
    samples += Number(isNamed);
    return isNamed;
  });
  const kinds = await sql`delete from event_kind where site_id = ${siteId} and name ~ ${pattern.ascii}`;
  const own = person.ofShop === null ? await eraseOfSettings(sql, { pattern, phones }, siteId) : { site_recipient: 0, site: 0 };
  const words =
    person.ofShop?.phoneHash == null
      ? null
      : await sql`delete from webhook_delivery where site_id = ${siteId} and phone_hash = ${person.ofShop.phoneHash}`;
  // A key whose window is open still prevents duplicates: it is postponed until the window is over.
  const answered = await findSealedAnswers(sql, person, siteId);
  const isNamed = sql`site_id = ${siteId} and (key ~ ${pattern.ascii} or ${names(sql, sql`body`, pattern)} or event ~ ${pattern.ascii}
    or event_id = any(${answered}::uuid[]))`;
  const keys = await sql`delete from idempotency where ${isNamed} and (body is not null or expires_at < now())`;
  const open = await sql`select from idempotency where ${isNamed}`;
  const requests = await forgetRequests(sql, siteId);
  const counts = {
    requested_event: requests.deleted,
    // The beginning of a body may name anybody, cut in the middle.
    refused_request: await deleteRefusedRequests(sql, siteId, null),
    event_kind: samples + kinds.count,
    ...own,
    idempotency: keys.count,
    webhook_delivery: words?.count ?? 0,
  };
  return { next: null, scanned: 0, counts, postponed: open.length + requests.open };
}

/** Removes the phone from the site's list and test phone. */
async function eraseOfSettings(sql: Sql, { pattern, phones }: Pick<Person, "pattern" | "phones">, siteId: string) {
  const recipients = await sql`delete from site_recipient where site_id = ${siteId} and phone = any(${phones}::text[])`;
  const labels = await sql`update site_recipient set label = '' where site_id = ${siteId} and ${names(sql, sql`label`, pattern)}`;
  const testPhone = await sql`update site set test_phone = null where id = ${siteId} and test_phone = any(${phones}::text[])`;
  return { site_recipient: recipients.count + labels.count, site: testPhone.count };
}

const ordersOf = ({ ofShop }: Person): string[] => [...(ofShop?.orders ?? [])];

/** Deletes the payloads that name the person and what came from them: message contents, orders, samples, kept answers. Open events are postponed. */
export async function erasePayloads(sql: Sql, person: Person, page: PageOf): Promise<PageResult> {
  const { siteId, after, limit } = page;
  const ids = await readIds(sql, "event_payload", page, person.below);
  const reached = await findReached(sql, person, siteId, ids);
  const sealed = await findSealed(sql, person, encryptedColumns.event_payload, siteId, ids);
  sealed.push(...(await findSealed(sql, { ...person, isIn: person.endsIn }, ["event_payload.payload"], siteId, reached)));
  const found = await findPayloads(sql, person, { reached, sealed: idsOf(sealed) }, { siteId, after, last: ids.at(-1) ?? after });
  const free = found.filter(({ in_use }) => !in_use);
  const counts = free.length === 0 ? {} : await forgetEvents(sql, person, siteId, free);
  return { next: nextOf(ids, limit), scanned: ids.length, counts, postponed: found.length - free.length };
}

/** The events with a message to the person: their payloads may name the phone without its country code. */
const findReached = (sql: Sql, { spellings }: Person, siteId: string, ids: readonly string[]) =>
  scalars(sql<{ event_id: string }[]>`
    select distinct event_id from notification
    where site_id = ${siteId} and event_id = any(${[...ids]}::uuid[]) and to_phone = any(${spellings}::text[])`);

interface FoundPayload {
  id: string;
  order_id: string | null;
  in_use: boolean;
}

const findPayloads = (
  sql: Sql,
  { pattern, ending, ofShop }: Person,
  { reached, sealed }: { reached: string[]; sealed: string[] },
  { siteId, after, last }: { siteId: string; after: string; last: string },
) =>
  sql<FoundPayload[]>`
    select p.id, e.order_id, (e.id is not null and ${sql.unsafe(isUnfinished("e"))}) or exists (
      select from notification n where n.site_id = p.site_id and n.event_id = p.id and ${sql.unsafe(isOpen("n"))}
        and not exists (select from waiting_message w where w.site_id = n.site_id and w.id = n.id and w.owner is null)) as in_use
    from event_payload p left join event e on e.site_id = p.site_id and e.id = p.id
    where p.site_id = ${siteId} and p.id > ${after} and p.id <= ${last} and (${names(sql, sql`p.payload`, pattern)} or ${names(sql, sql`p.trace`, pattern)} or p.id = any(${sealed}::uuid[])
      or (p.id = any(${reached}::uuid[]) and ${names(sql, sql`p.payload`, ending)}) or e.order_id = any(${[...(ofShop?.orders ?? [])]}::uuid[]))`;

async function forgetEvents(sql: Sql, { ofShop, spellings }: Person, siteId: string, events: readonly FoundPayload[]) {
  const ids = events.map(({ id }) => id);
  const orders = events.flatMap(({ order_id }) => order_id ?? []);
  await cancelOfEvents(sql, siteId, ids, "person_erased");
  const payloads = await sql`delete from event_payload where site_id = ${siteId} and id = any(${ids}::uuid[])`;
  const notifications = await sql`
    update notification set components = '[]', error_detail = null
    where site_id = ${siteId} and event_id = any(${ids}::uuid[]) and (components <> '[]' or error_detail is not null)`;
  if (ofShop !== null) await eraseRecipients(sql, siteId, ids, [...spellings, ...ofShop.ownSpellings]);
  const customerOrders = await sql`delete from customer_order where site_id = ${siteId} and id = any(${orders}::uuid[])`;
  const kept = await sql`delete from idempotency where site_id = ${siteId} and event_id = any(${ids}::uuid[]) and body is not null`;
  const own = new Set(ids);
  await forgetSamples(sql, [siteId], ({ sampled }) => own.has(sampled));
  await forgetSearchRows(sql, siteId, ids);
  return {
    event_payload: payloads.count,
    notification: notifications.count,
    customer_order: customerOrders.count,
    idempotency: kept.count,
  };
}

/** Erases whom the messages of these events went to, but for the phones in `kept`: the customer may have another phone than the shop has named. */
async function eraseRecipients(sql: Sql, siteId: string, eventIds: readonly string[], kept: readonly string[]): Promise<void> {
  const theirs = sql`site_id = ${siteId} and event_id = any(${[...eventIds]}::uuid[]) and not to_phone = any(${[...kept]}::text[])
    and not ${sql.unsafe(isOpen("notification"))}`;
  await sql`delete from webhook_delivery where notification_id in (select id from notification where ${theirs})`;
  await sql`
    update notification set to_phone = 'erased', error_reason = null,
      wa_message_id = case when wa_message_id is not null or error_code in ('in_doubt', 'interrupted') then 'erased' else wa_message_id end
    where ${theirs}`;
}

/** What a shop's request reaches beside the phone, and what it leaves. */
export interface OfShop {
  /** Our ids of the orders that the shop named. */
  orders: readonly string[];
  /** The forms in which the phones of the account's own people are stored as recipients. */
  ownSpellings: readonly string[];
  /** The digest by which the phone's words to the business are known; null without a phone. */
  phoneHash: string | null;
}

/** The person to erase. */
export interface Person {
  /** Finds the phone in texts. */
  pattern: PhonePattern;
  /** Finds the phone's last digits. */
  ending: PhonePattern;
  /** Finds the phone in the platform's message ids, which hold it in base64. */
  encodedPattern: string;
  /** Every form of the phone in E.164. */
  phones: string[];
  /** All forms in which a message's recipient is stored if it is this person. */
  spellings: string[];
  /** Whether values of the account may be encrypted. */
  mayBeSealed: boolean;
  /** Whether a stored value, encrypted or not, names the phone. */
  isIn: (stored: string, column: SearchedColumn, row: string) => boolean;
  /** Whether a stored value, encrypted or not, names the phone's last digits. */
  endsIn: (stored: string, column: SearchedColumn, row: string) => boolean;
  /** The text that replaces the phone. */
  mask: string;
  /** Only rows with smaller ids are erased. */
  below: string;
  /** Set for a shop's request, which leaves the account's settings as they are. */
  ofShop: OfShop | null;
}

type SearchedColumn =
  | (typeof encryptedColumns)["event_payload" | "notification" | "customer_order"][number]
  | "customer_order.number"
  | "idempotency.body"
  | "event_kind.fields"
  | "resend_job.filter"
  | "operation.input";

/** The number of rows that are decrypted at a time: a payload may have a megabyte. */
const openedAtOnce = 20;

/** The rows of a table whose encrypted values name the person, with these columns. */
async function findSealed(
  sql: Sql,
  { mayBeSealed, isIn }: Person,
  columns: readonly SearchedColumn[],
  siteId: string,
  ids: readonly string[],
): Promise<{ id: string; columns: SearchedColumn[] }[]> {
  const found: { id: string; columns: SearchedColumn[] }[] = [];
  const [table = ""] = columns[0]?.split(".") ?? [];
  const isSealed = sql.unsafe(columns.map((column) => `left(${column}, 3) in ('s1.', 'c1.')`).join(" or "));
  const values = sql.unsafe(columns.map((column) => `${column} as "${column}"`).join(", "));
  for (let at = 0; mayBeSealed && at < ids.length; at += openedAtOnce) {
    const chunk = ids.slice(at, at + openedAtOnce);
    const rows = await sql<(Record<SearchedColumn, string | null> & { id: string })[]>`
      select id, ${values} from ${sql(table)} where site_id = ${siteId} and id = any(${chunk}::uuid[]) and (${isSealed})`;
    for (const row of rows) {
      const naming = columns.filter((column) => isIn(row[column] ?? "", column, row.id));
      if (naming.length > 0) found.push({ id: row.id, columns: naming });
    }
  }
  return found;
}

/** The events whose kept answers are encrypted and name the person. */
async function findSealedAnswers(sql: Sql, { mayBeSealed, isIn }: Person, siteId: string): Promise<string[]> {
  if (!mayBeSealed) return [];
  const found: string[] = [];
  const rows = sql<
    { event_id: string; body: string }[]
  >`select event_id, body from idempotency where site_id = ${siteId} and left(body, 3) = 's1.'`;
  for await (const batch of rows.cursor(openedAtOnce)) {
    found.push(...batch.filter(({ event_id, body }) => isIn(body, "idempotency.body", event_id)).map(({ event_id }) => event_id));
  }
  return found;
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

/** A part of a site's rows. */
export interface PageOf {
  siteId: string;
  after: string;
  limit: number;
}

/** The result of a page. */
export interface PageResult {
  /** The id to go on with; null at the end. */
  next: string | null;
  scanned: number;
  /** Rows changed or removed, by table. */
  counts: Record<string, number>;
  /** Rows that are in use, at which a later pass looks again. */
  postponed: number;
}

/** The ids of the next rows of a table, in order. */
const readIds = (sql: Sql, table: string, { siteId, after, limit }: PageOf, below: string | null) =>
  scalars(sql<{ id: string }[]>`
    select id from ${sql(table)} where site_id = ${siteId} and id > ${after} ${below === null ? sql`` : sql`and id < ${below}`}
    order by id limit ${limit}`);

/** The page's last id; null when it was not full. */
const nextOf = (ids: readonly string[], limit: number): string | null => (ids.length === limit ? (ids.at(-1) ?? null) : null);

/** The bindings and templates that name the phone: only an operator can decide how to change them. `name`: of a binding its event. */
export const findSettingsNaming = (sql: Sql, accountId: string, pattern: PhonePattern) =>
  sql<{ kind: "binding" | "template"; id: string; name: string }[]>`
    select 'binding' as kind, b.id, b.event as name from binding b join site s on s.id = b.site_id
    where s.account_id = ${accountId} and (${names(sql, sql`b.recipient::text`, pattern)} or ${names(sql, sql`b.variable_map::text`, pattern)}
      or ${names(sql, sql`b.conditions::text`, pattern)} or ${names(sql, sql`b.schedule::text`, pattern)})
    union all
    select 'template', id, name from template where account_id = ${accountId} and ${names(sql, sql`definition::text`, pattern)}
    order by kind, name, id limit 20`;

/** The condition that a text names the phone. The first tests are cheap and decide most texts: few have digits of other scripts. */
export const names = (sql: Sql, text: Fragment, { ascii, hasOthers, any }: PhonePattern): Fragment =>
  sql`(${text} ~ ${ascii} or ((octet_length(${text}) > char_length(${text}) or strpos(${text}, ${jsonEscape}) > 0)
    and ${text} ~ ${hasOthers} and (${text} ~ ${any} or normalize(${text}, NFKC) ~ ${any})))`;

const jsonEscape = String.raw`\u`;
