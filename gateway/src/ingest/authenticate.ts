import type { IncomingHttpHeaders } from "node:http";
import { eventHeaders, parseEventName, isSource, isTestEvent } from "shared/core/event";
import type { BindingToPlan } from "shared/core/plan";
import type { Proof } from "shared/core/sources/source";
import { remember } from "shared/core/text";
import type { HistoryChange } from "shared/db/event/known-order";
import type { ReplayableEvent } from "shared/sealing/account-rows";
import type { SignedHeaders } from "shared/secrets/signature";
import { hashSiteKey, siteIdOfKey } from "shared/secrets/site-key";
import { RequestRefused } from "../refusal.ts";
import type { Notes } from "../sites/notes.ts";
import { matchKey, matchSigner, type SiteConfig, type SiteDirectory, type Needed, neededAtDoor } from "../sites/sites.ts";
import type { ReadBody, ReadObject } from "./body.ts";

/** A request of the right path and method. Nothing in it has been verified yet. */
export interface RawRequest {
  headers: IncomingHttpHeaders;
  /** The path's two values, decoded and not yet judged. */
  source: string;
  event: string;
  /** When the request's headers had arrived. */
  receivedAt: Date;
  /** The exact bytes of the body. Rejects with `body_too_large` over the cap. */
  readBody(): Promise<Buffer>;
  /** Set once it is counted as valid. A set of such requests would cost each garbage collection more than they do. */
  isCounted?: boolean;
  /** Called with the event's id once it is stored. */
  onStored?: (eventId: string) => void;
}

/** A request to a shop's address. Nothing in it has been verified yet. */
export interface ShopRequest extends Omit<RawRequest, "source" | "event"> {
  /** The token of the path, not yet judged. */
  token: string;
}

/** A header's value; an empty one counts as absent. */
export function header(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  const text = Array.isArray(value) ? value.join(", ") : value;
  return text === undefined || text === "" ? null : text;
}

/** Seconds by which a timestamp may be off, either way. */
const timestampTolerance = 300;

export type Authenticate = (request: RawRequest, given?: GivenKey) => Promise<AuthenticEvent>;

/**
 * Checks a request in the documented order: key, body size, signature, timestamp, enabled, rate limit, content.
 *
 * Works on the cached site; the claim later proves that it was current. A request that would be refused is checked once more on a freshly loaded site,
 * so that no refusal comes from an old configuration.
 */
export function createAuthenticate(
  sites: Pick<SiteDirectory, "peek" | "refresh" | "admits">,
  notes: Pick<Notes, "used" | "proven" | "refused">,
  readObject: ReadObject,
): Authenticate {
  /** Null: the site's first valid request was noted just now, so the copy is outdated. */
  const judge = async ({ site, keyId }: Caller, request: RawRequest, body: Buffer): Promise<AuthenticEvent | null> => {
    const { headers, receivedAt } = request;
    if (site.unreadable) throw new RequestRefused(site.unreadable);
    const signed = readSigned(headers);
    notes.used([keyId, ...signersOf(site, request, body, signed)], receivedAt);
    if (signed === null && site.requireSignedTimestamp) throw new RequestRefused("signed_timestamp_required");
    checkTimestamp(site, request, signed);
    const noting = notes.proven(site, request, receivedAt);
    if (noting !== undefined && (await noting)) return null;
    if (!site.enabled) throw new RequestRefused("site_disabled");
    // Counts requests only for sites with a limit, since counting takes a while.
    if (site.rateLimitPerSecond !== null && !(await sites.admits(site, request))) throw new RequestRefused("rate_limited");
    checkContentType(request);
    return readEvent(site, request, await readObject(site.accountId, body), signed);
  };
  const confirm = async (given: GivenKey, request: RawRequest): Promise<Caller> => {
    const caller = identify(await sites.refresh(given.siteId), given, request);
    if (caller === null) throw new RequestRefused("invalid_site_key");
    return caller;
  };

  return async (request, given = readKey(request)) => {
    const known = identify(sites.peek(given.siteId), given, request);
    let [caller, isFresh] = [known ?? (await confirm(given, request)), known === null];
    let body: Buffer | undefined;
    try {
      body = await request.readBody();
      for (;;) {
        try {
          const event = await judge(caller, request, body);
          if (event !== null) return event;
        } catch (error) {
          if (isFresh || !(error instanceof RequestRefused) || error.refusal === "full") throw error;
        }
        [caller, isFresh] = [await confirm(given, request), true];
      }
    } catch (error) {
      notes.refused(caller.site, { ...request, body }, error);
      throw error;
    }
  };
}

/** A site and the key that the request holds. */
type Caller = NonNullable<ReturnType<typeof identify>>;

/** The key's site, from the headers alone; null when this copy of it does not know the key. */
function identify(site: SiteConfig | null | undefined, { hash }: GivenKey, { receivedAt }: RawRequest) {
  const keyId = site && matchKey(site.secrets, hash, receivedAt);
  return site && keyId !== undefined && keyId !== null ? { site, keyId } : null;
}

/** The key that a request gives, and the site that it names. Nothing is proven by it. */
export type GivenKey = ReturnType<typeof readText>;

/** Keys come back with every event, and reading one costs more than finding it. */
const readText = remember(5_000, (key: string) => {
  const siteId = siteIdOfKey(key);
  if (siteId === null) throw new RequestRefused("invalid_site_key");
  return { hash: hashSiteKey(key), siteId };
});

/** @throws RequestRefused */
export function readKey({ headers }: RawRequest): GivenKey {
  const key = header(headers, eventHeaders.siteKey.name);
  if (key === null) throw new RequestRefused("missing_site_key");
  return readText(key);
}

/** The headers of Standard Webhooks; null without their signature. @throws RequestRefused where one comes without its id or time */
function readSigned(headers: RawRequest["headers"]): (Proof & SignedHeaders) | null {
  const signature = header(headers, eventHeaders.standardSignature.name);
  if (signature === null) return null;
  const [id, timestamp] = [header(headers, eventHeaders.standardId.name), header(headers, eventHeaders.standardTimestamp.name)];
  if (id === null) throw new RequestRefused("missing_webhook_id");
  if (timestamp === null) throw new RequestRefused("missing_webhook_timestamp");
  return { scheme: "standard", id, timestamp, signature };
}

/** The secrets that signed the request: every signature that it has must verify, and one it must have. */
function signersOf({ secrets }: SiteConfig, { headers, receivedAt }: RawRequest, body: Buffer, signed: Proof | null): string[] {
  const ofBody = header(headers, eventHeaders.signature.name);
  const proofs: Proof[] = signed === null ? [] : [signed];
  if (signed === null || ofBody !== null) proofs.push({ scheme: "hex", signature: ofBody ?? "" });
  return proofs.map((proof) => {
    const signer = matchSigner(secrets.signing, body, proof, receivedAt);
    if (signer === undefined) throw new RequestRefused("invalid_signature");
    return signer;
  });
}

function checkTimestamp(site: SiteConfig, { headers, receivedAt }: RawRequest, signed: SignedHeaders | null): void {
  const unsigned = header(headers, eventHeaders.timestamp.name);
  if (signed === null && unsigned === null && site.requireTimestamp) throw new RequestRefused("missing_timestamp");
  const isFresh = isFreshAt(signed?.timestamp, receivedAt) && isFreshAt(unsigned ?? undefined, receivedAt);
  if (!isFresh) throw new RequestRefused("stale_timestamp");
}

/** A missing timestamp counts as fresh. */
export function isFreshAt(text: string | undefined, at: Date): boolean {
  if (text === undefined) return true;
  return /^\d{1,15}$/.test(text) && Math.abs(Math.floor(at.getTime() / 1000) - Number(text)) <= timestampTolerance;
}

/** A well-formed event with its site's signature. Only `authenticate`, `inbound/read.ts` (of a shop's requests) and `requested/` (of what people ask for) make one. */
export interface AuthenticEvent extends Omit<ReplayableEvent, "id"> {
  site: SiteConfig;
  dryRun: boolean;
  /** The caller does not wait for the platform (`Prefer: respond-async`). */
  queued: boolean;
  /** The caller's key, the id of Standard Webhooks, or the text that a shop's repeats have in common. */
  idempotencyKey: string | null;
  /**
   * Unix seconds until which a key counts for all of the site's events: of a signed id, whose request can be repeated until then, and of a shop's key.
   * Null for a plain key.
   */
  idUntil: number | null;
  /** Whether the key is an id that the sender has signed: the same id with another event, mode or body is refused. */
  isSignedId: boolean;
  /** A key that it needs beside its own. */
  needs?: Needed | undefined;
  /** Further keys: other requests with them are repeats of this event. */
  alsoKeys?: readonly string[];
  /** The history of what a shop's event tells of, before and after it. */
  history?: HistoryChange;
  /** Set for a part of an order, whose payload has the order's status, total and currency from before. */
  isOfPart?: boolean;
  /** The events that have happened before by what a shop's request says, whether or not they came. */
  shown?: readonly string[];
  /** Set if the shop's request would tell of more than this event. */
  hasMore?: boolean;
  /** Set for an event that people asked for. */
  asked?: AskedEvent;
}

/** How an event that people asked for differs from one of a request. */
interface AskedEvent {
  /** The event's id, chosen before: it is stored once, however often it is tried. */
  id: string;
  /** Only these bindings fire; null: all of the event's name. */
  bindings: BindingToPlan[] | null;
  /** The phone that gets a test instead of the site's own test phone. */
  testPhone: string | null;
}

/** Checks the path values and header values, in this order. */
function readEvent(site: SiteConfig, request: RawRequest, { text, payload }: ReadBody, signed: SignedHeaders | null): AuthenticEvent {
  const name = parseEventName(request.event);
  if (name === null) throw new RequestRefused("invalid_event_name");
  if (!isSource(request.source)) throw new RequestRefused("invalid_source");
  const idempotencyKey = checkKey(signed === null ? header(request.headers, eventHeaders.idempotencyKey.name) : signed.id);
  const idUntil = signed === null ? null : Number(signed.timestamp) + timestampTolerance;
  const [test, dryRun] = [isTestEvent(name, payload), readMode(request)];
  const queued = !dryRun && prefersAsync(request);
  const ofBody = header(request.headers, eventHeaders.signature.name);
  const needs = signed === null && ofBody !== null ? neededAtDoor(site, { scheme: "hex", signature: ofBody }, "ingest") : undefined;
  const isSignedId = signed !== null;
  const { source } = request;
  return { site, source, topic: null, name, payload, text, test, dryRun, queued, idempotencyKey, idUntil, isSignedId, needs };
}

/** RFC 7240. Other preferences, and parameters of this one, are ignored. */
function prefersAsync({ headers }: RawRequest): boolean {
  const prefer = header(headers, eventHeaders.prefer.name);
  return prefer !== null && prefer.split(",").some((preference) => preference.split(";", 1)[0]?.trim().toLowerCase() === "respond-async");
}

function checkContentType({ headers }: RawRequest): void {
  const type = header(headers, eventHeaders.contentType.name)?.split(";", 1)[0]?.trim().toLowerCase();
  const encoding = header(headers, "content-encoding")?.trim().toLowerCase() ?? "identity";
  if (type !== "application/json" || encoding !== "identity") throw new RequestRefused("unsupported_content_type");
}

/** Whether a text can be a key: printable ASCII. */
export const isKey = (text: string): boolean => /^[ -~]{1,255}$/.test(text);

function checkKey(key: string | null): string | null {
  if (key !== null && !isKey(key)) throw new RequestRefused("invalid_idempotency_key");
  return key;
}

/** True for a dry run. An unknown mode is refused: a typo must never send. */
function readMode({ headers }: RawRequest): boolean {
  const mode = header(headers, eventHeaders.mode.name)?.toLowerCase() ?? "live";
  if (mode !== "live" && mode !== "test") throw new RequestRefused("invalid_mode");
  return mode === "test";
}
