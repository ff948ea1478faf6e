import { printJson, type JsonValue } from "shared/core/json";
import { statusRank } from "shared/core/message";
import { phoneForms } from "shared/core/phone";
import { findByWaMessageIds } from "shared/db/notification/reported";
import type { StatusChange } from "shared/db/notification/statuses";
import type { Person } from "shared/db/opt-out";
import type { Sql } from "shared/db/statement";
import { countryOf } from "shared/normalize-phone";
import type { StatusUpdate } from "shared/platform/callback";
import { parseReference, type Reference } from "shared/platform/client";
import { holdOfReport, prolonged } from "shared/platform/errors/waits";
import type { KeptTiming } from "shared/sealing/account-rows";
import type { RowCodec } from "shared/secrets/row-codec";

/**
 * Finds the notification of each update: by the reference that we sent along, which exists before we know the platform's id, else by that id, first among
 * the recipient's messages. Updates of messages that are not ours are left out. At most two statements.
 */
export async function locateUpdates(log: MessageLog, updates: readonly StatusUpdate[]): Promise<LocatedUpdate[]> {
  const located: LocatedUpdate[] = [];
  const others: StatusUpdate[] = [];
  for (const update of updates) {
    const reference = parseReference(update.reference);
    if (reference === null) others.push(update);
    else located.push({ ...reference, update });
  }
  const phones = others.flatMap(({ recipient }) => recipient ?? []);
  const byPhone = await locateByPlatformId(log, others, phones);
  const found = new Set(byPhone.map(({ update }) => update));
  const left = others.filter((update) => !found.has(update));
  const strangers = new Set(left.flatMap(({ recipient, waMessageId }) => (recipient === null ? [] : waMessageId)));
  const passedOver = new Set([...strangers].slice(mostStrangers));
  const sought = left.filter(({ waMessageId }) => !passedOver.has(waMessageId));
  return [...located, ...byPhone, ...(await locateByPlatformId(log, sought, null))];
}

/** The messages of an account, and how they are stored. */
interface MessageLog {
  sql: Sql;
  account: { id: string };
  rows: RowCodec;
}

/** At most this many ids that are none of their recipient's are looked for, which costs more the longer the log is. The rest belong to other systems at the same number. */
const mostStrangers = 100;

async function locateByPlatformId(log: MessageLog, updates: readonly StatusUpdate[], phones: readonly string[] | null) {
  const ids = updates.map(({ waMessageId: id }) => id);
  const found = await findByIds(log, ids, phones);
  return updates.flatMap((update): LocatedUpdate[] => {
    const row = found.get(update.waMessageId);
    return row === undefined ? [] : [{ siteId: row.site_id, notificationId: row.id, attempt: row.attempt, update }];
  });
}

/** The account's messages with these platform ids, by them: among the messages to these phones, however written, or, where there are none (null), whoever got them. */
async function findByIds({ sql, account, rows: codec }: MessageLog, ids: readonly string[], phones: readonly string[] | null) {
  const spelled = [...new Set(ids)].flatMap((id) => codec.spellings(id, "notification.wa_message_id"));
  const forms = phones && [...new Set(phones.flatMap(phoneForms))].flatMap((form) => codec.spellings(`+${form}`, "notification.to_phone"));
  const rows = spelled.length === 0 || forms?.length === 0 ? [] : await findByWaMessageIds(sql, account.id, spelled, forms);
  return new Map(rows.map((row) => [codec.open(row.wa_message_id, "notification.wa_message_id", row.id), row]));
}

/** The messages that people answer, by the platform's ids: found among the messages to the person who answers. */
export function findAnswered(log: MessageLog, messages: readonly { phone: string; context: string | null }[]) {
  const answers = messages.filter(({ context }) => context !== null);
  const ids = answers.flatMap(({ context }) => context ?? []);
  const phones = answers.map(({ phone }) => phone);
  return findByIds(log, ids, phones);
}

/** The same, whoever got them. */
export const findAnsweredOfAnybody = (log: MessageLog, waMessageIds: readonly string[]) =>
  findByIds(log, [...new Set(waMessageIds)].slice(0, mostStrangers), null);

/** A status update and its notification. */
export interface LocatedUpdate extends Reference {
  update: StatusUpdate;
}

/** What is known of recipients, as it is stored. */
export interface People {
  /** The digest of a message's recipient, where a failure may have it wait; null if that cannot be read. */
  recipientOf: (message: LocatedUpdate) => string | null;
  /** How a message waits, where its binding has a schedule. */
  timingOf: (messageId: string) => KeptTiming | undefined;
  /** The digest of a person. */
  hashOf: (person: Person) => string;
}

/**
 * One change for each notification, whatever the number and order of its updates: a statement cannot change a row twice. Sorted by key, so that two
 * callbacks lock rows in one order. `now` replaces times that the platform leaves out.
 */
export function mergeStatuses(located: readonly LocatedUpdate[], now: Date, people: People): StatusChange[] {
  const changes = new Map<string, StatusChange>();
  for (const item of located) {
    const { siteId, notificationId, update } = item;
    const key = `${siteId} ${notificationId}`;
    const known = changes.get(key) ?? { ...nothing, site_id: siteId, id: notificationId };
    changes.set(key, merge(known, item, (update.at ?? now).toISOString(), people));
  }
  return [...changes].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change);
}

const nothing = { wa_message_id: null, error_reason: null, error_detail: null };

function merge(change: StatusChange, item: LocatedUpdate, at: string, people: People): StatusChange {
  const { update, attempt } = item;
  const { status, recipient, userId, pricing } = update;
  const named: StatusChange = { ...change, wa_message_id: change.wa_message_id ?? waMessageId(update) };
  if (named.pricing === undefined && pricing !== null) {
    named.pricing = pricing;
    named.country = userId?.slice(0, 2) ?? (recipient === null ? null : countryOf(`+${recipient}`));
  }
  if (userId !== null && recipient !== null && named.user_hash === undefined) {
    named.user_hash = people.hashOf({ phone: null, userId });
    named.user_phone_hash = people.hashOf({ phone: `+${recipient}` });
  }
  if (status === "failed") return mergeFailure(named, item, at, people);
  const reached = change.reached != null && statusRank(change.reached) > statusRank(status) ? change.reached : status;
  const reached_attempt = Math.max(change.reached_attempt ?? 0, attempt);
  return { ...named, reached, reached_attempt, [`${status}_at`]: earlier(change[`${status}_at`], at) };
}

/** The failure of the latest attempt counts, and the earliest of that attempt. */
function mergeFailure(change: StatusChange, item: LocatedUpdate, at: string, people: People): StatusChange {
  const { error } = item.update;
  const known = change.failed_attempt ?? 0;
  if (item.attempt < known || (item.attempt === known && change.failed_at != null && change.failed_at <= at)) return change;
  const hold = error === null ? null : holdOfReport(error.code);
  return {
    ...change,
    hold_seconds: hold && hold.seconds,
    longest_hold: hold && prolonged(hold.seconds, 1),
    phone_hash: hold && people.recipientOf(item),
    ...(hold && people.timingOf(change.id)),
    failed_attempt: item.attempt,
    failed_at: at,
    error_code: error?.code ?? null,
    error_reason: error?.reason ?? null,
    error_detail: error === null ? null : printJson(error.detail as JsonValue),
  };
}

/** Both in ISO 8601 and UTC, so that texts sort as times. */
const earlier = (known: string | null | undefined, at: string): string => (known != null && known < at ? known : at);

/** A longer id fits no index, and cannot be ours. */
const longestWaMessageId = 500;

const waMessageId = ({ waMessageId: id }: StatusUpdate): string | null => (id.length <= longestWaMessageId ? id : null);
