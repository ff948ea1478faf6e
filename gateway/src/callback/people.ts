import { optOutScopeOf } from "shared/core/message";
import { readWords } from "shared/core/opt-out-words";
import { isE164 } from "shared/core/phone";
import { findAccount, optOutWordsOf } from "shared/db/account";
import type { RevealedUser } from "shared/db/notification/statuses";
import { deleteOptOutsOf, findOptOutsOf, type OptOutChange, type Person } from "shared/db/opt-out";
import type { CallbackAccountRow } from "shared/db/platform-callback";
import { findPhones, findUsers, moveUsers } from "shared/db/platform-user";
import { inTransaction } from "shared/db/statement";
import type { IncomingMessage, PersonMove, PreferenceUpdate } from "shared/platform/callback";
import { recordToldOptOuts } from "shared/sealing/tell-people";
import { readValue, type RowCodec } from "shared/secrets/row-codec";
import { createQueues } from "shared/server/queues";
import type { GatewayContext } from "../context.ts";
import { findAnsweredOfAnybody, type LocatedUpdate } from "./statuses.ts";

/** One callback's account, and how its messages are stored. */
export interface CallbackWork extends GatewayContext {
  account: CallbackAccountRow;
  rows: RowCodec;
  /** The digest by which the account recognizes a person. */
  hashOf: (person: Person) => string;
  /** Tells whether an update is of a test site's message, which concerns neither the account nor anybody's wishes. */
  isTest: (update: LocatedUpdate) => boolean;
}

/** A time that the platform tells; ours where it tells none, or one ahead of us, which would win over every later change. */
export const notAhead = (at: Date | null | undefined, now: Date): Date => (at != null && at < now ? at : now);

/** Writing opt-outs waits for the account's row: its callbacks must not hold all connections meanwhile. */
const optOutQueues = createQueues();

type ToldOptOut = Omit<OptOutChange, "at"> & { at: Date | null };

/** What may tell that people have opted out, or in again. `phones`: those of the failed messages. */
interface Telling {
  failures: readonly LocatedUpdate[];
  phones: ReadonlyMap<string, string>;
  preferences: readonly PreferenceUpdate[];
  messages: readonly (IncomingMessage & { person: Person })[];
}

/** Records people who have opted out, or in again; answers how many entries changed. No statement when there are none. */
export async function recordOptOuts(work: CallbackWork, { failures, phones, preferences, messages }: Telling): Promise<number> {
  const { sql, vault, clock, account } = work;
  const told = [
    ...optOutsOfFailures(failures, phones),
    ...(await identify(work, preferences)).flatMap(optOutOfPreference),
    ...(await optOutsOfWords(work, messages)),
  ];
  if (told.length === 0) return 0;
  const now = clock.now();
  const changes = told.map((change) => ({ ...change, at: notAhead(change.at, now) }));
  const { id: accountId, has_webhooks: hasWebhooks } = account;
  return await optOutQueues.run(accountId, () => recordToldOptOuts(sql, vault, { accountId, hasWebhooks }, changes));
}

/** The phones of these messages as we addressed them: the platform's own form of a number may differ, or be hidden. An erased person's is none. */
export async function readPhones({ sql, account, rows }: CallbackWork, messages: Parameters<typeof findPhones>[2]) {
  const stored = messages.length === 0 ? [] : await findPhones(sql, account.id, messages);
  return new Map(
    stored.flatMap(({ id, to_phone }) => {
      const phone = readValue(rows, to_phone, "notification.to_phone", id, "");
      return isE164(phone) ? [[id, phone] as const] : [];
    }),
  );
}

/** Opt-outs that failures tell of. */
const optOutsOfFailures = (statuses: readonly LocatedUpdate[], phones: ReadonlyMap<string, string>): ToldOptOut[] =>
  statuses.flatMap(({ notificationId, update: { error, at } }) => {
    const [scope, phone] = [optOutScopeOf(error?.code ?? null), phones.get(notificationId)];
    if (scope === null || error === null || phone === undefined) return [];
    return [{ phone, scope, source: "callback" as const, code: error.code, active: true, at }];
  });

interface Sender {
  sender: string | null;
  userId: string | null;
  /** The platform's id of the message that is answered. */
  context?: string | null;
}

/**
 * What people say, with who they are: by the phone, else by the user id that reports have taught, else by the message that they answer, else by the user id
 * alone. What nobody can have said is left out. No statement where every phone is shown.
 */
export async function identify<Said extends Sender>(work: CallbackWork, said: readonly Said[]): Promise<(Said & { person: Person })[]> {
  const { sql, account, hashOf } = work;
  const hashOfUser = (userId: string): string => hashOf({ phone: null, userId });
  const hidden = said.filter(({ sender }) => sender === null);
  const ids = [...new Set(hidden.flatMap(({ userId }) => userId ?? []))];
  const users = new Map((ids.length === 0 ? [] : await findUsers(sql, account.id, ids.map(hashOfUser))).map((row) => [row.user_hash, row]));
  const userOf = ({ userId }: Sender) => (userId === null ? undefined : users.get(hashOfUser(userId)));
  const contexts = hidden.flatMap((one) => (userOf(one) === undefined ? (one.context ?? []) : []));
  const answered = await findAnsweredOfAnybody(work, contexts);
  const shown = [...users.values()].flatMap(({ site_id, message_id }) =>
    site_id && message_id ? [{ siteId: site_id, id: message_id }] : [],
  );
  const phones = await readPhones(work, [...shown, ...Array.from(answered.values(), ({ site_id: siteId, id }) => ({ siteId, id }))]);
  return said.flatMap((one) => {
    const person = personOf(one);
    return person === null ? [] : [{ ...one, person }];
  });

  function personOf(one: Sender): Person | null {
    if (one.sender !== null) return personOfPhone(one.sender);
    const user = userOf(one);
    if (user !== undefined) return { phone: phones.get(user.message_id ?? "") ?? null, userId: one.userId, hash: user.phone_hash };
    const phone = phones.get(answered.get(one.context ?? "")?.id ?? "");
    return phone === undefined ? personOfId(one.userId) : { phone };
  }
}

function personOfPhone(digits: string | null): Person | null {
  const phone = `+${digits?.replace(/^\+/, "") ?? ""}`;
  return isE164(phone) ? { phone } : null;
}
const personOfId = (userId: string | null): Person | null => (userId === null ? null : { phone: null, userId });

const optOutOfPreference = ({ person, value, category, at }: PreferenceUpdate & { person: Person }): ToldOptOut[] =>
  category === "marketing_messages"
    ? [{ ...person, scope: "marketing", source: "preference", code: null, active: value === "stop", at }]
    : [];

/**
 * The people who stopped or resumed messages by a word. A resumption lifts every earlier opt-out, and counts for both scopes, so that an older stop that
 * comes later changes nothing.
 */
async function optOutsOfWords({ sql, account }: CallbackWork, messages: Telling["messages"]) {
  if (messages.length === 0) return [];
  const stored = await findAccount(sql, account.id);
  if (stored === undefined) return [];
  const words = optOutWordsOf(stored);
  const read = readWords(words);
  return messages.flatMap(({ person, text, at }): ToldOptOut[] => {
    const word = read(text);
    if (word === null) return [];
    const scopes = word === "stop" ? [words.scope] : (["all", "marketing"] as const);
    return scopes.map((scope) => ({ ...person, scope, source: "keyword", code: null, active: word === "stop", at }));
  });
}

/** The same for people who show their phone by writing. */
export async function applyShown(work: CallbackWork, said: readonly Sender[]): Promise<void> {
  const shown = said.flatMap(({ sender, userId }) => {
    const person = personOfPhone(sender);
    return person === null || userId === null ? [] : [[work.hashOf({ phone: null, userId }), person] as const];
  });
  const people = new Map(shown);
  if (people.size > 0 && (await findOptOutsOf(work.sql, work.account.id, [...people.keys()])).length > 0) await carry(work, people);
}

/** Opt-outs that were kept under a user id alone apply to the phone from now on. */
export async function applyToPhones(work: CallbackWork, revealed: readonly RevealedUser[]): Promise<void> {
  if (revealed.length === 0) return;
  const messages = revealed.map(({ site_id: siteId, message_id: id }) => ({ siteId, id }));
  const phones = await readPhones(work, messages);
  const people = revealed.map(
    ({ user_hash, phone_hash: hash, message_id: id }) => [user_hash, { phone: phones.get(id) ?? null, hash }] as const,
  );
  await carry(work, new Map(people));
}

/**
 * Gives the people of the second digests the opt-outs of the first; those of `gone` are then deleted. `at`: the time of the change; null: each keeps its own,
 * and ended ones count too.
 */
async function carry(work: CallbackWork, people: ReadonlyMap<string, Person>, gone = [...people.keys()], at: Date | null = null) {
  const { sql, vault, account } = work;
  await optOutQueues.run(account.id, () =>
    inTransaction(sql, async (transaction) => {
      const entries = await findOptOutsOf(transaction, account.id, [...people.keys()]);
      const changes = entries.flatMap(({ phone_hash, told_at, ...entry }) => {
        const person = people.get(phone_hash);
        return person === undefined || (at !== null && !entry.active) ? [] : [{ ...entry, ...person, at: at ?? told_at }];
      });
      await recordToldOptOuts(transaction, vault, { accountId: account.id, hasWebhooks: account.has_webhooks }, changes);
      if (gone.length > 0 && entries.length > 0) await deleteOptOutsOf(transaction, account.id, gone);
    }),
  );
}

/** People who have another number or id now: their opt-outs follow them, and so does what is known of their ids. */
export async function recordMoves(work: CallbackWork, moves: readonly PersonMove[]): Promise<void> {
  if (moves.length === 0) return;
  const { sql, account, clock, hashOf } = work;
  const userHash = (userId: string | null): string | null => userId && hashOf({ phone: null, userId });
  const former = moves.flatMap(({ formerUserId }) => userHash(formerUserId) ?? []);
  const known = new Map((former.length === 0 ? [] : await findUsers(sql, account.id, former)).map((row) => [row.user_hash, row]));
  const people = new Map<string, Person>();
  const pairs = moves.map(({ from, to, formerUserId, userId, hasNewNumber }) => {
    const [before, after] = [userHash(formerUserId), userHash(userId)];
    const paired = known.get(before ?? "");
    const [old, shown] = [personOfPhone(from), personOfPhone(to)];
    const target = (hasNewNumber ? shown : null) ?? personOfId(userId);
    const sources = hasNewNumber ? [before, paired?.phone_hash ?? null, old && hashOf(old)] : [before];
    if (target !== null) for (const source of sources) if (source !== null && source !== hashOf(target)) people.set(source, target);
    const person = hasNewNumber ? shown : old;
    const phone = (hasNewNumber ? undefined : paired) ?? (person && { phone_hash: hashOf(person), site_id: null, message_id: null });
    return after === null ? [] : [{ former: before, user_hash: after, phone }];
  });
  const at = moves.flatMap((move) => move.at ?? []).toSorted((a, b) => b.getTime() - a.getTime())[0];
  await carry(work, people, former, notAhead(at, clock.now()));
  // As one: what is known of a former id is not there any more when the platform repeats the callback.
  await inTransaction(sql, async (transaction) => moveUsers(transaction, account.id, pairs.flat()));
}
