import { performance } from "node:perf_hooks";
import { Pool } from "undici";
import { hyphenate } from "../core/uuid.ts";
import { type Said, write } from "../core/wording.ts";
import { createDeadlines } from "../server/deadlines.ts";
import type { ErrorFacts } from "./errors/classify.ts";
import { readAnswer, type Answer, type Exchange, exchange, type ExchangeRequest } from "./exchange.ts";

export interface PlatformCall {
  method: "GET" | "POST" | "DELETE";
  /** The path below the base URL, such as `/v25.0/1234/messages`. */
  path: string;
  query?: Record<string, string> | undefined;
  accessToken: string;
  /** The body; a text is JSON already. */
  body?: object | string | undefined;
  /** An instant of `performance.now()`: a call without a connection by then is not made. */
  startBy?: number | undefined;
  /** An instant of `performance.now()`: the attempt is cut off then at the latest. */
  cutAt?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** The platform's HTTP interface: keep-alive connections to one origin, one attempt per call. */
export interface PlatformClient extends AsyncDisposable {
  call(call: PlatformCall): Promise<Answer>;
}

const mostConnections = 3_000;

/**
 * @param baseUrl The URL, such as `https://graph.facebook.com`; a path in it is kept.
 * @param timeoutMs The time limit of one attempt, from asking for a connection to the last byte of the answer.
 * @throws TypeError when `baseUrl` is no URL.
 */
export function createPlatformClient({ baseUrl, timeoutMs = 10_000 }: { baseUrl: string; timeoutMs?: number | undefined }): PlatformClient {
  const origin = openOrigin(baseUrl, mostConnections, timeoutMs);
  return {
    call: (call) => origin.exchange(origin.requestOf(call)).then(readAnswer),
    [Symbol.asyncDispose]: origin[Symbol.asyncDispose],
  };
}

/** Keep-alive connections to one origin; see `createPlatformClient`. */
export function openOrigin(baseUrl: string, connections: number, timeoutMs: number) {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, "");
  const pool = new Pool(base.origin, { connections, connect: { timeout: timeoutMs } });
  const deadlines = createDeadlines();
  return {
    prefix,
    requestOf: (call: PlatformCall): ExchangeRequest => {
      const { method, path, query, body, startBy = Infinity, cutAt = Infinity, signal } = call;
      return {
        method,
        path: prefix + (query === undefined ? path : `${path}?${new URLSearchParams(query).toString()}`),
        headers: headersOf(call),
        body: typeof body === "object" ? JSON.stringify(body) : body,
        timeoutMs: Math.max(1, Math.min(timeoutMs, cutAt - performance.now())),
        startBy: Math.min(startBy, cutAt),
        signal,
      };
    },
    exchange: (request: ExchangeRequest): Promise<Exchange> => exchange(pool, request, deadlines),
    [Symbol.asyncDispose]: async () => pool.destroy(),
  };
}

/** Replaces characters that a header cannot carry; no valid token has any, so the platform refuses it. */
export const authorization = (scheme: "Bearer" | "OAuth", token: string): string => `${scheme} ${token.replace(/[^\x21-\x7e]/g, "?")}`;

const headersOf = ({ accessToken, body }: PlatformCall): Record<string, string> => {
  const authorized = authorization("Bearer", accessToken);
  return body === undefined ? { authorization: authorized } : { authorization: authorized, "content-type": "application/json" };
};

/** One account's access to the platform. */
export interface PlatformCredentials {
  /** The version, such as `v25.0`. */
  apiVersion: string;
  /** The business account, which holds the templates. */
  wabaId: string;
  /** The id of the sender. */
  phoneNumberId: string;
  accessToken: string;
  appId?: string | null | undefined;
  appSecret?: string | null | undefined;
}

/** Limits the sends under way, so that one account's hanging sends do not block the others. Reserve before the claim, release after each send. */
export type InFlight = ReturnType<typeof createInFlight>;

interface Awaited {
  has(key: string): boolean;
}

/** Stands for the places of all accounts. */
export const anyAccount = "any account";

/** Half of `max` comes on top for the other accounts, so that one account cannot take the last place. */
const headroom = 1.5;

/** The part of its room that is left to an account while its sends time out. */
const hangingShare = 0.25;

/** `max`: most sends of one account while the platform answers it. */
export function createInFlight({ max = 2_000 } = {}) {
  const total = Math.floor(max * headroom);
  const share = Math.floor(max * hangingShare);
  const places = new Map<string, number>();
  const hanging = new Set<string>();
  let taken = 0;
  let awaited: Awaited = new Set();
  let tell = (_key: string): void => undefined;
  const tellFreed = (accountId: string): void => {
    if (awaited.has(accountId)) tell(accountId);
    if (awaited.has(anyAccount)) tell(anyAccount);
  };
  const hasRoom = (n: number): boolean => taken + n <= total;
  return {
    /** Reserves all n places, or none and returns false. `part`: how much of the account's room may be taken then. */
    reserve(accountId: string, n: number, part = 1): boolean {
      const mine = (places.get(accountId) ?? 0) + n;
      if (n === 0) return true;
      if (!hasRoom(n) || mine > part * (hanging.has(accountId) ? share : max)) return false;
      places.set(accountId, mine);
      taken += n;
      return true;
    },
    release(accountId: string, n: number): void {
      const before = places.get(accountId) ?? 0;
      const returned = Math.min(n, before);
      if (before > returned) places.set(accountId, before - returned);
      else places.delete(accountId);
      taken -= returned;
      if (returned > 0) tellFreed(accountId);
    },
    /** Whether a reservation would fail although the platform answers the account. */
    isFull: (accountId: string): boolean => taken >= total || (places.get(accountId) ?? 0) >= max,
    /** Call it after any answer to a send of the account. */
    answered: (accountId: string): void => void (hanging.delete(accountId) && tellFreed(accountId)),
    /** Call it when a send got no answer in time: the account keeps only its share until the next answer. */
    timedOut: (accountId: string): void => void hanging.add(accountId),
    /** Whether there is room for n more sends of any account. */
    hasRoom,
    /** Calls `tell` with an account in `awaited` whenever a place of it becomes free, and with `anyAccount` if that is awaited. */
    onFreed: (...told: [awaited: Awaited, tell: (key: string) => void]): void => void ([awaited, tell] = told),
    /** Places taken by all accounts. */
    get taken(): number {
      return taken;
    },
  };
}

/** A failed management call. The message is the platform's own if it answered. */
export class PlatformError extends Error {
  override name = "PlatformError";
  /** The facts; null if the platform could not be reached or its answer is unreadable. */
  readonly facts: ErrorFacts | null;

  /** The message as data; null for the platform's own words. */
  readonly said: Said | null;

  constructor(message: string | Said, facts: ErrorFacts | null = null) {
    super(typeof message === "string" ? message : write(message));
    this.facts = facts;
    this.said = typeof message === "string" ? null : message;
  }
}

/** Travels with a message as `biz_opaque_callback_data` and comes back in its status updates. Other apps can see it, so it holds ids only. */
export interface Reference {
  siteId: string;
  notificationId: string;
  /** The number of the attempt, from 1: the second send of a notification is attempt 2. */
  attempt: number;
}

const form = /^t1:([0-9a-f]{32}):([0-9a-f]{32}):([1-9]\d{0,4})$/;
const largestAttempt = 32_767;

/** `t1:<site id>:<notification id>:<attempt>`, ids as 32 hex digits; at most 75 characters. */
export const encodeReference = ({ siteId, notificationId, attempt }: Reference): string =>
  `t1:${compact(siteId)}:${compact(notificationId)}:${attempt}`;

/** Null for text that `encodeReference` did not make: other senders may share the number. */
export function parseReference(text: string | null | undefined): Reference | null {
  const [, siteId, notificationId, attempt] = form.exec(text ?? "") ?? [];
  if (siteId === undefined || notificationId === undefined || Number(attempt) > largestAttempt) return null;
  return { siteId: hyphenate(siteId), notificationId: hyphenate(notificationId), attempt: Number(attempt) };
}

const compact = (uuid: string): string => uuid.replaceAll("-", "").toLowerCase();
