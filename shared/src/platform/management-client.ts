import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { openOrigin, type PlatformClient, PlatformError } from "./client.ts";
import { type Answer, type ExchangeRequest, listMember, member, parseObject, readAnswer } from "./exchange.ts";

export interface UploadCall extends Pick<ExchangeRequest, "path" | "headers" | "signal"> {
  /** The body's pieces, in order. */
  body: readonly Uint8Array[];
}

/** Client for templates and files. These calls are few and large: they have their own connections, larger answers, and report the use of the hourly quota. */
export interface ManagementClient extends PlatformClient {
  upload(call: UploadCall): Promise<Answer>;
  /** Used part of the business account's hourly calls, by the platform's last answer; null when unknown. */
  usage(wabaId: string): Usage | null;
}

/** The time limit of a call that carries a file. */
const uploadMs = 300_000;
const mostConnections = 16;

/** `timeoutMs`: of a call with JSON or without a body; see `createPlatformClient`. @throws TypeError when `baseUrl` is no URL. */
export function createManagementClient({ baseUrl, timeoutMs = 20_000 }: { baseUrl: string; timeoutMs?: number }): ManagementClient {
  const origin = openOrigin(baseUrl, mostConnections, timeoutMs);
  const known = new Map<string, Usage>();
  const make = async (request: ExchangeRequest): Promise<Answer> => {
    const outcome = await origin.exchange({ ...request, mostBytes });
    if (outcome.kind === "answered") for (const [wabaId, usage] of readUsage(outcome.headers)) known.set(wabaId, usage);
    return readAnswer(outcome);
  };
  return {
    call: async (call) => make(origin.requestOf(call)),
    upload: async ({ path, headers, body, signal }) =>
      make({
        method: "POST",
        path: origin.prefix + path,
        headers: { ...headers, "content-length": String(body.reduce((sum, piece) => sum + piece.length, 0)) },
        body: Readable.from(body),
        timeoutMs: uploadMs,
        signal,
      }),
    usage: (wabaId) => known.get(wabaId) ?? null,
    [Symbol.asyncDispose]: origin[Symbol.asyncDispose],
  };
}

/** Thrown when the hourly calls are nearly used up: the rest is kept for people. */
export class CallsUsedUp extends PlatformError {
  override name = "CallsUsedUp";
  /** Milliseconds until more calls are granted; null when unknown. */
  readonly regainMs: number | null;

  constructor(percent: number, regainMs: number | null) {
    super(`${percent} % of the calls that the platform grants for an hour are used up; it goes on when there are more.`);
    this.regainMs = regainMs;
  }
}

/** The client for background work: its calls are cut off at `cutAt` (an instant of `performance.now()`) and by `signal`, slow down as the hourly quota fills, and throw `CallsUsedUp` before its end. */
export const considerateClient = (
  management: ManagementClient,
  wabaId: string,
  { cutAt, signal }: { cutAt: number; signal: AbortSignal },
): ManagementClient => ({
  ...management,
  async call(call) {
    const usage = management.usage(wabaId);
    const pause = pauseFor(usage);
    if (usage !== null && pause === Infinity) throw new CallsUsedUp(usage.percent, usage.regainMs || null);
    // An abort ends the pause early; the call then reports it.
    if (pause > 0) await setTimeout(pause, undefined, { signal }).catch(() => undefined);
    return management.call({ ...call, cutAt: Math.min(cutAt, call.cutAt ?? Infinity), signal });
  },
  upload: (call) => management.upload({ ...call, signal }),
});

/** A page of 100 templates can have several MB when JSON escapes their script. */
const mostBytes = 32 * 1_048_576;

/** Used part of the calls that the platform grants per hour. */
interface Usage {
  /** 100 means all. */
  percent: number;
  /** Milliseconds until calls are granted again; 0 while they are. */
  regainMs: number;
}

/** Reads the usage header, by business account. The highest of several counts. */
export function readUsage(headers: IncomingHttpHeaders): Map<string, Usage> {
  const byAccount = parseObject(String(headers["x-business-use-case-usage"])) ?? {};
  return new Map(
    Object.keys(byAccount).map((wabaId) => {
      const counts = listMember(byAccount, wabaId);
      const percent = Math.max(0, ...counts.map(percentOf));
      const minutes = Math.max(0, ...counts.map((count) => numberOf(member(count, "estimated_time_to_regain_access"))));
      return [wabaId, { percent, regainMs: minutes * 60_000 }];
    }),
  );
}

const slowFrom = 80;
const stopFrom = 95;

/** Milliseconds to wait before the next background call; Infinity means not in this hour. */
export function pauseFor(usage: Usage | null): number {
  if (usage === null || (usage.percent < slowFrom && usage.regainMs === 0)) return 0;
  return usage.percent >= stopFrom || usage.regainMs > 0 ? Infinity : (usage.percent - slowFrom + 1) * 200;
}

const percentOf = (count: unknown): number =>
  Math.max(...["call_count", "total_cputime", "total_time"].map((name) => numberOf(member(count, name))));

const numberOf = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);
