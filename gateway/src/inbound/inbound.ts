import { describeReason } from "shared/core/reason";
import { headerNames, headerReader, sources } from "shared/core/sources/sources";
import { insertAuditEntry, lockForAudit } from "shared/db/audit";
import { eventOfIds, takeKey } from "shared/db/event/answer";
import { changeHistory, lockHistories } from "shared/db/event/known-order";
import { newId } from "shared/db/ids";
import { inTransaction } from "shared/db/statement";
import { cancelOfKeys } from "shared/db/waiting/cancel";
import { normalizePhone } from "shared/normalize-phone";
import { askForShop } from "shared/sealing/ask-to-erase";
import { type GatewayContext, inTime } from "../context.ts";
import type { Answer, Times } from "../ingest/answer.ts";
import type { AuthenticEvent, ShopRequest } from "../ingest/authenticate.ts";
import type { AnswerDuplicate } from "../ingest/duplicate.ts";
import type { ReadShop } from "../ingest/ingest.ts";
import { RequestRefused } from "../refusal.ts";
import type { Notes } from "../sites/notes.ts";
import type { SiteConfig, SiteDirectory, Needed } from "../sites/sites.ts";
import { type Reading, type ReadRequest, repeatSeconds } from "./read.ts";

/**
 * Works on the cached site as the site's own path does: an event's claim proves that the copy was current, and every other outcome counts only if it comes
 * from a freshly loaded copy. A flood of unknown addresses costs as few statements as one of bad keys.
 */
export function createReadShop(
  context: GatewayContext,
  parts: {
    sites: Pick<SiteDirectory, "peekToken" | "refreshToken">;
    read: ReadRequest;
    answerDuplicate: AnswerDuplicate;
    notes: Pick<Notes, "pinged" | "topic" | "refused">;
  },
): ReadShop {
  const { sites, read, answerDuplicate, notes } = parts;
  /** Null: what is known of the thing has changed meanwhile, so the request is to be read anew. */
  const act = async (site: SiteConfig, reading: Reading, request: ShopRequest & Times): Promise<AuthenticEvent | Answer | null> => {
    const { receivedAt } = request;
    if (reading.kind === "ping") {
      await notes.pinged(site, receivedAt);
      return ping;
    }
    await notes.topic(site.id, "event" in reading ? reading.event.topic : reading.topic, receivedAt);
    if (reading.kind === "event") return reading.event;
    await enter(context, site, "event" in reading ? reading.event.needs : reading.needs);
    if (reading.kind === "repeat") return (await answerDuplicate(reading.event, request.startedAt)) ?? ignored;
    if (reading.kind === "privacy") await takePrivacyRequest(context, site, reading);
    else if (!(await keep(context, site, reading))) return null;
    return ignored;
  };

  return async (request) => {
    const { token } = request;
    if (!isToken(token)) throw new RequestRefused("not_found");
    const refresh = async (): Promise<SiteConfig> => {
      const found = await sites.refreshToken(token);
      if (found === null) throw new RequestRefused("not_found");
      if (found === "moved") throw new RequestRefused("invalid_signature");
      return found;
    };
    const cached = sites.peekToken(token);
    for (let [site, isFresh] = [cached ?? (await refresh()), cached === undefined]; ; [site, isFresh] = [await refresh(), true]) {
      const reading = await read(site, request).catch((error: unknown) => {
        return isFresh || !(error instanceof RequestRefused) || error.refusal === "full" ? noteRefused(notes, site, request, error) : null;
      });
      const isCurrent = reading !== null && (isFresh || reading.kind === "event");
      const acted = isCurrent ? await act(site, reading, request) : null;
      if (acted !== null) return acted;
    }
  };
}

/** Tokens are random, of letters and digits; a text that cannot be one costs no statement. */
const isToken = (text: string): boolean => /^[A-Za-z0-9_-]{32,128}$/.test(text);

async function noteRefused(notes: Pick<Notes, "refused">, site: SiteConfig, request: ShopRequest, error: unknown): Promise<never> {
  const body = await request.readBody().catch(() => undefined);
  const header = headerReader(request.headers);
  const topic = headerNames.topics.map(header).find((text) => text !== null);
  notes.refused(site, { ...request, event: topic ?? "", body }, error);
  throw error;
}

/** Ties the signature of a request that is no new event to this door, as the claim does for an event. @throws RequestRefused where the other door has it */
async function enter(context: GatewayContext, { id }: SiteConfig, needs: Needed | undefined): Promise<void> {
  if (needs === undefined || needs.holder === null) return;
  const taken = await inTime(context, takeKey(context.sql, id, { ...needs, holder: needs.holder }, repeatSeconds));
  if (!taken) throw new RequestRefused("signature_used");
}

/** Does what a delivery without an event tells; false if its history has changed meanwhile, so that it is to be read anew. */
export async function keep(context: GatewayContext, { id }: SiteConfig, reading: Extract<Reading, { kind: "ignored" }>): Promise<boolean> {
  const { sql } = context;
  const { topic, change, cancels } = reading;
  const cancel = () =>
    inTransaction(sql, async (transaction) => {
      await lockHistories(transaction, cancels);
      await cancelOfKeys(transaction, id, cancels, describeReason({ code: "cancelled_by_event", event: topic }));
    });
  if (cancels.length > 0) await inTime(context, cancel());
  return change === null || (await inTime(context, changeHistory(sql, change)));
}

const ping: Answer = { status: 200, body: '{"ok":true,"ping":true}', eventId: null };
const ignored: Answer = { status: 200, body: '{"ok":true,"event":null,"chat":"ignored"}', eventId: null };

/**
 * A request of data protection law: it stands in the audit, and one to erase waits for the account's owner. It names the data of its own site alone, since a
 * lesser role may choose the secret that it is signed with. A repeat changes nothing: otherwise anybody who has seen one could fill the audit with it.
 * @throws RequestRefused when too many of the site wait
 */
async function takePrivacyRequest(
  { sql, vault }: GatewayContext,
  { id, accountId, country, inbound: { sourceType } }: SiteConfig,
  { topic, body, key }: Extract<Reading, { kind: "privacy" }>,
): Promise<void> {
  const named = sources[sourceType].privacyTopics.get(topic)?.(body) ?? null;
  const person = named && { ...named, phone: toPhone(named.phone, country) };
  await inTransaction(sql, async (transaction) => {
    if (!(await takeKey(transaction, id, { event: eventOfIds, key, holder: newId() }, repeatSeconds))) return;
    await lockForAudit(transaction, accountId);
    const request = person === null ? null : await askForShop(transaction, vault, { accountId, siteId: id, person });
    if (request === "full") throw new RequestRefused("rate_limited");
    await insertAuditEntry(transaction, {
      id: newId(),
      account_id: accountId,
      actor: sourceType,
      actor_id: null,
      token_id: null,
      action: `${sourceType}.${topic}`,
      subject: id,
      address: null,
      changes: request === null ? [] : [{ member: "erasureRequest", after: request }],
    });
  });
}

/** Null for a text that is no phone: no message was sent to it. */
function toPhone(typed: string | null, country: string | null): string | null {
  const read = typed === null ? null : normalizePhone(typed, { country: null, siteCountry: country });
  return read !== null && "phone" in read ? read.phone : null;
}
