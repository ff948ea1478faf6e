import type { resendFilterInput } from "shared/core/input/log";
import { parseJson, type JsonObject } from "shared/core/json";
import { optOutKey, turnOf } from "shared/core/person-key";
import { isE164 } from "shared/core/phone";
import { planEvent } from "shared/core/plan";
import { describeClause, type PlanFailure } from "shared/core/reason";
import { english, fixed, type Said, say, write } from "shared/core/wording";
import { findBinding } from "shared/db/binding";
import { readPayloads } from "shared/db/event-kind";
import { newId } from "shared/db/ids";
import { findNotification } from "shared/db/notification/log";
import {
  countFailed,
  findResendCandidates,
  type FailedCount,
  type FailedFilter,
  type ResendFilter,
  holdResendCandidates,
  insertResends,
  type Resend,
  type ResendCandidate,
} from "shared/db/notification/resend";
import { type LogPage, type Sql, inTransaction } from "shared/db/statement";
import { copiedCodes, readStoredError, explain, resendOutlook, isContentFailure } from "shared/platform/errors/classify";
import { readRowCodec } from "shared/sealing/account-rows";
import { readValue, type RowCodec } from "shared/secrets/row-codec";
import type { z } from "zod";
import type { AdminContext } from "../context.ts";
import { absent, notFound, Refusal } from "../trpc/errors.ts";
import { toLogPage } from "../trpc/paging.ts";

export type ResendContext = Pick<AdminContext, "sql" | "vault" | "clock">;

/** The most messages that one call resends. */
export const mostResends = 10_000;

type Filter = z.output<typeof resendFilterInput>;

/** Resends one message and answers the repeat; a repeated call answers the same one. */
export async function resendOne(context: ResendContext, accountId: string, { id, force }: { id: string; force: boolean }) {
  const { sql } = context;
  const [outcome] = await resendMessages(context, accountId, [id], { force, looked: true });
  if (outcome === undefined) throw notFound("notification");
  if ("refused" in outcome) throw new Refusal("CONFLICT", outcome.refused);
  return (await findNotification(sql, accountId, outcome.repeated)) ?? absent("notification");
}

/** Counts the failed messages that a resend by the filter would take, and tells for each error code the likely result. */
export async function countResends(context: ResendContext, accountId: string, filter: Filter) {
  const { sql } = context;
  const rows = await readRowCodec(sql, context.vault, accountId);
  const { counts, total } = await countMatching(sql, accountId, toFailedFilter(rows, toResendFilter(filter)), toLogPage(filter));
  const ids = counts.slice(0, mostJudged).flatMap((count) => count.ids);
  const candidates = new Map((await findResendCandidates(sql, accountId, ids)).map((stored) => [stored.id, readCandidate(rows, stored)]));
  const make = { ...context, accountId, rows };
  const errors = [];
  for (const count of counts) {
    const messages = count.ids.flatMap((id) => candidates.get(id) ?? []);
    errors.push({
      ...presentFailed(rows, count),
      messages: messages.map(({ id, to_phone }) => ({ id, toPhone: to_phone })),
      refusal: messages[0] === undefined ? null : await foreseeRefusal(make, messages[0]),
    });
  }
  const { people, sites: siteIds } = counts[0] ?? { people: 0, sites: [] };
  return {
    total: Math.min(total, mostResends),
    people,
    siteIds,
    /** More match than one call resends. */ tooMany: total > mostResends,
    errors,
  };
}

/** Messages are looked at for this many of the most frequent reasons. */
const mostJudged = 20;

export async function countMatching(sql: Sql, accountId: string, filter: FailedFilter, { from, before }: LogPage) {
  const counts = await countFailed(sql, accountId, filter, { from, before, limit: mostResends + 1 }, copiedCodes);
  return { counts, total: counts.reduce((sum, { count }) => sum + count, 0) };
}

function presentFailed(rows: RowCodec, { error_code: code, error_id, error_detail, count, lost }: FailedCount) {
  const detail = readValue(rows, error_detail, "notification.error_detail", error_id ?? "", null);
  const failure = { code, subcode: readStoredError(detail).subcode };
  return {
    code,
    count,
    /** Those of them that cannot be sent again. */ lost,
    resend: resendOutlook(failure),
    explanation: explain(failure),
  };
}

/** The reason why the message would not be sent again even by force, and the binding to change if that is at fault; null if it would be sent. */
async function foreseeRefusal(make: Making, message: ResendCandidate) {
  // An event that is still being sent is finished in a moment.
  const refused = judgeResend({ ...message, answered: true }, { force: true, looked: true });
  if (refused !== null) return { text: write(refused), said: refused, reason: null, bindingId: null };
  const made = await makeResend(make, message);
  if (!("text" in made)) return null;
  const { text, values, failure: reason = null } = made;
  const said = { text, values };
  return { text: write(said), said, reason, bindingId: message.binding_id };
}

export function toResendFilter(input: Filter): ResendFilter {
  const { from: _, to: __, status: ___, ...filter } = input;
  return { ...filter, fromId: toLogPage(input).from ?? undefined };
}

/** Whether the filter names the error codes or the messages. */
export const isChosen = ({ errorCode, errorCodes, ids }: ResendFilter): boolean => (errorCode ?? errorCodes ?? ids) !== undefined;

/** The filter with every form in which its phone may be stored. */
export const toFailedFilter = (codec: RowCodec, { phone, ...filter }: ResendFilter): FailedFilter => ({
  ...filter,
  phone: phone === undefined ? undefined : codec.spellings(phone, "notification.to_phone"),
});

/** `of`: the failed message. `repeated`: the one that repeats it, new or made earlier. `refused`: why there is none, and what to do. */
export type ResendOutcome = { of: string; siteId: string; repeated: string; isNew: boolean } | { of: string; refused: Said };

/**
 * Queues the account's messages for resending, each at most once however many calls and servers ask for it; a gateway sends them. One outcome for each message
 * that exists. All happens in one transaction.
 */
export const resendMessages = async (
  { sql, vault, clock }: ResendContext,
  accountId: string,
  ids: readonly string[],
  options: { force: boolean; looked: boolean },
): Promise<ResendOutcome[]> =>
  await inTransaction(sql, async (transaction) => {
    const outcomes: ResendOutcome[] = [];
    const resends: (Resend & { siteId: string })[] = [];
    const candidates = await holdResendCandidates(transaction, accountId, ids);
    const make = { sql: transaction, accountId, clock, rows: await readRowCodec(transaction, vault, accountId), vault };
    for (const stored of candidates) {
      const message = readCandidate(make.rows, stored);
      const { id: of, site_id: siteId, resent_as } = message;
      const made = resent_as === null ? (judgeResend(message, options) ?? (await makeResend(make, message))) : null;
      if (made !== null && "text" in made) outcomes.push({ of, refused: { text: made.text, values: made.values } });
      else if (made !== null) resends.push({ ...made, siteId });
      else if (resent_as !== null) outcomes.push({ of, siteId, repeated: resent_as, isNew: false });
    }
    if (resends.length === 0) return outcomes;
    const added = await insertResends(transaction, accountId, resends);
    const overtaken = say("A report from WhatsApp has just changed the message: reload it");
    return [
      ...outcomes,
      ...resends.map(({ of, siteId, id }) => (added.has(of) ? { of, siteId, repeated: id, isNew: true } : { of, refused: overtaken })),
    ];
  });

/** Values that cannot be read are replaced, and the recipient is then unknown. */
function readCandidate(rows: RowCodec, stored: ResendCandidate): ResendCandidate {
  const { id } = stored;
  const components = readValue(rows, stored.components, "notification.components", id, null);
  return {
    ...stored,
    to_phone: components === null ? "" : readValue(rows, stored.to_phone, "notification.to_phone", id, ""),
    components: components ?? "",
    error_detail: readValue(rows, stored.error_detail, "notification.error_detail", id, null),
  };
}

/**
 * The reason why a message must not be resent, and what to do; null if it may be. `force`: also one that would probably fail again in the same way. `looked`:
 * somebody chose it, so also one that only a change at the recipient's side helps.
 */
function judgeResend(message: ResendCandidate, { force, looked }: { force: boolean; looked: boolean }): Said | null {
  if (message.error_code === null) return say("Only failed messages can be resent");
  if (!message.answered) return say("Its event is still being sent: try again in a moment");
  if (message.site_enabled === null) return say("Its site was deleted");
  if (!message.site_enabled) return say("Its site refuses events: switch “Accept events” on first");
  if (!message.connected) return say("WhatsApp is not connected: connect it in the settings first");
  if (!isE164(message.to_phone)) return say("Its recipient's number is no longer stored");
  const failure = { code: message.error_code, subcode: readStoredError(message.error_detail).subcode };
  const outlook = resendOutlook(failure);
  if (force || outlook === "helps" || (outlook === "later" && looked)) return null;
  return say("{action} Set force to resend it anyway", { action: fixed(explain(failure).action) });
}

/** The message to queue: a copy, or, where its content was at fault, one planned anew with today's binding. A sentence tells why there is none, and what to do. */
async function makeResend(make: Making, message: ResendCandidate): Promise<Resend | NotMade> {
  const { template_id, template, language, components, template_status } = message;
  const failure = { code: message.error_code ?? "", subcode: readStoredError(message.error_detail).subcode };
  if (isContentFailure(failure)) return await makeAnew(make, message);
  if (template_status === null) return say("The template {template} ({language}) was deleted", { template, language });
  if (template_status !== "approved")
    return say("The template {template} ({language}) is {status}; only an approved one can be sent", {
      template,
      language,
      status: fixed(template_status),
    });
  return toResend(make, message, { template_id, template, language, components });
}

/** Why there is no message, and the failure of today's plan where that is why. */
type NotMade = Said & { failure?: PlanFailure };

interface Making extends ResendContext {
  accountId: string;
  rows: RowCodec;
}

type Content = Pick<Resend, "template_id" | "template" | "language" | "components">;

function toResend({ rows, vault, accountId }: Making, { id: of, to_phone, site_mode }: ResendCandidate, content: Content): Resend {
  const id = newId();
  const stored = {
    to_phone: rows.conceal(to_phone, "notification.to_phone"),
    components: rows.seal(content.components, "notification.components", id),
    phone_hash: turnOf(vault.fingerprint(optOutKey(accountId, to_phone)), site_mode),
  };
  return { of, id, ...content, ...stored };
}

async function makeAnew(make: Making, message: ResendCandidate): Promise<Resend | NotMade> {
  const { sql, accountId, clock, rows } = make;
  const binding = await findBinding(sql, accountId, message.binding_id);
  const [event] = await readPayloads(sql, [{ site_id: message.site_id, id: message.event_id }]);
  if (binding === undefined) return say("Its binding was deleted, so the message cannot be built again: post the event again");
  const payload = event && readValue(rows, event.payload, "event_payload.payload", message.event_id, null);
  if (payload == null) return say("Its event's payload is no longer kept, so the message cannot be built again: post the event again");
  const { template_id, template: name, language, status, definition, template_shape: boundShape } = binding;
  const { messages } = planEvent({
    bindings: [
      {
        id: binding.id,
        recipient: { strategy: "static_phone", phone: message.to_phone },
        variableMap: binding.variable_map,
        template: { id: template_id, name, language, status, definition, boundShape },
      },
    ],
    payload: parseJson(payload) as JsonObject,
    test: false,
    site: { testPhone: null, activePhones: [] },
    account: { timezone: message.timezone, configured: true },
    now: clock(),
  });
  const [planned] = messages;
  if (planned === undefined) throw new Error("a message to a phone that is one cannot be planned");
  const { failure } = planned;
  if (failure !== null) return { ...say("It would fail again: {reason}", { reason: describeClause(failure, english) }), failure };
  return toResend(make, message, { template_id, template: name, language, components: planned.components });
}
