import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { buffer } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Agent, buildConnector, type Dispatcher, fetch as fetchAt, request } from "undici";
import { type Said, say } from "./core/wording.ts";
import { createDeadlines } from "./server/deadlines.ts";

/** The limits of a request to an address that a user entered: where it may go, and for how long. */
export interface RequestLimits {
  maxBytes: number;
  /** The time limit of the whole exchange. */
  timeoutMs: number;
  /** Private networks that may be reached. */
  allowed: BlockList | null;
  /** True: without TLS only the allowed networks are reached. */
  needsTls?: boolean;
  /** Aborting it ends the exchange. */
  stopping?: AbortSignal;
}

/** The fault before or while an answer was read. */
export type RequestFault = "address_private" | "not_encrypted" | "too_large" | "timeout" | "unreachable";

export class RequestFailed extends Error {
  override name = "RequestFailed";
  readonly fault: RequestFault;

  constructor(fault: RequestFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** The head of an answer. */
export type Answered = Pick<Dispatcher.ResponseData, "statusCode" | "headers">;

/**
 * Gets the content of an address that a user entered: on the internet only, without redirects and uncompressed. The body is read once `judge` has accepted
 * the head; it throws otherwise. @throws RequestFailed, and the errors of `judge`
 */
export async function guardedGet(
  url: string,
  { maxBytes, timeoutMs, allowed, needsTls = false, stopping }: RequestLimits,
  { headers = {}, judge }: { headers?: Record<string, string>; judge: (answered: Answered) => void },
): Promise<Answered & { bytes: Buffer }> {
  const dispatcher = guardedAgent(allowed, needsTls);
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = stopping === undefined ? timeout : AbortSignal.any([timeout, stopping]);
  let isJudged = true;
  try {
    const response = await request(url, {
      dispatcher,
      signal,
      headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": "Tidings", ...headers },
    });
    // A refused answer is never read, so its later errors do not matter.
    response.body.on("error", () => undefined);
    isJudged = false;
    judge(response);
    isJudged = true;
    if (Number(response.headers["content-length"] ?? 0) > maxBytes) throw tooLarge();
    return { statusCode: response.statusCode, headers: response.headers, bytes: await buffer(bounded(response.body, maxBytes)) };
  } catch (error) {
    throw isJudged ? failureOf(error, timeout) : error;
  } finally {
    // The connection is closed at once, even when the server is still sending.
    await dispatcher.destroy();
  }
}

export type PostAnswer = Answered & { bytes: Buffer; isCut: boolean };

/** Posts to addresses that users entered, under the rules of `guardedGet`; connections stay open for the next. Without TLS it reaches the allowed networks alone. */
export function createGuardedPost(allowed: BlockList | null) {
  const dispatcher = guardedAgent(allowed, true);
  const deadlines = createDeadlines();
  return {
    /** Answers with the first `maxBytes` of the body; once its head is there an answer counts, whatever happens to the rest. @throws RequestFailed */
    post: (url: string, { headers, body }: Content, { maxBytes, timeoutMs }: Pick<RequestLimits, "maxBytes" | "timeoutMs">) =>
      new Promise<PostAnswer>((resolve, reject) => {
        const { origin, pathname, search } = new URL(url);
        let head: Answered | undefined;
        let controller: Dispatcher.DispatchController | undefined;
        let bytes: Buffer = Buffer.alloc(0);
        let [isOver, isCut] = [false, true];
        const end = (error: unknown): void => {
          if (isOver) return;
          isOver = true;
          deadlines.remove(limit);
          if (head === undefined) reject(failureOf(error));
          else resolve({ statusCode: head.statusCode, headers: head.headers, bytes: bytes.subarray(0, maxBytes), isCut });
          if (isCut) controller?.abort(new Error("the rest is not read"));
        };
        const expire = (): void => end(new RequestFailed("timeout", "no whole answer in time"));
        const limit = { endsAt: performance.now() + timeoutMs, place: -1, expire };
        deadlines.add(limit);
        const handler: Dispatcher.DispatchHandler = {
          onRequestStart: (started) => void (isOver ? started.abort(new Error("ended before it was written")) : (controller = started)),
          onResponseStart: (_, statusCode, answered) => void (statusCode >= 200 && (head = { statusCode, headers: answered })),
          onResponseData: (_, chunk) => {
            bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
            if (bytes.length > maxBytes) end(null);
          },
          onResponseEnd: () => end((isCut = false)),
          onResponseError: (_, error) => end(error),
        };
        dispatcher.dispatch({ origin, path: pathname + search, method: "POST", headers, body }, handler);
      }),
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}

export type GuardedPost = ReturnType<typeof createGuardedPost>;
type Content = { headers: Record<string, string>; body: string };

/**
 * A `fetch` for libraries that ask a server whose address a user entered, under the rules of `guardedGet`. Without TLS it reaches only the allowed networks. An
 * answer of more than `maxBytes` breaks off. Both throw RequestFailed.
 */
export function createGuardedFetch(allowed: BlockList | null, maxBytes: number): AsyncDisposable & { fetch: typeof fetch } {
  const dispatcher = guardedAgent(allowed, true);
  const guarded = async (...[url, init]: Parameters<typeof fetchAt>) => {
    try {
      const headers = { ...Object.fromEntries(new Headers(init?.headers as Record<string, string>)), "accept-encoding": "identity" };
      const { body, status, headers: answered } = await fetchAt(url, { ...init, headers, redirect: "manual", dispatcher });
      const bounded = body === null ? null : ReadableStream.from(readWhole(body as AsyncIterable<Uint8Array>, maxBytes));
      return new Response(bounded, { status, headers: [...answered] });
    } catch (error) {
      if (init?.signal?.aborted === true) throw init.signal.reason;
      const cause = error instanceof Error ? error.cause : undefined;
      throw cause instanceof RequestFailed ? cause : new RequestFailed("unreachable", describeError(cause ?? error), { cause: error });
    }
  };
  return { fetch: guarded as unknown as typeof fetch, [Symbol.asyncDispose]: () => dispatcher.destroy() };
}

/** So much of an answer is passed on before other requests have their turn: what reads it may work long on each byte. */
const pieceBytes = 8_192;

async function* readWhole(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of bounded(body, maxBytes)) {
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        yield chunk.subarray(at, at + pieceBytes);
        await nextTurn();
      }
    }
  } catch (error) {
    throw error instanceof RequestFailed ? error : new RequestFailed("unreachable", "the answer broke off", { cause: error });
  }
}

async function* bounded<Chunk extends Uint8Array>(body: AsyncIterable<Chunk>, maxBytes: number): AsyncGenerator<Chunk> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    yield chunk;
  }
}

const tooLarge = (): RequestFailed => new RequestFailed("too_large", "the answer is too large");

function failureOf(error: unknown, timeout?: AbortSignal): RequestFailed {
  if (error instanceof RequestFailed) return error;
  if (timeout?.aborted === true) return new RequestFailed("timeout", "no whole answer in time", { cause: error });
  return new RequestFailed("unreachable", describeError(error), { cause: error });
}

function describeError(error: unknown): string {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  return code || (error instanceof Error ? error.message : "unknown reason");
}

/** The reason why no answer came, as a code for a log. */
export function failureCode(error: unknown): string {
  if (!(error instanceof RequestFailed)) return "unreachable";
  if (error.fault !== "unreachable") return error.fault;
  if (error.message === "ENOTFOUND" || error.message === "EAI_AGAIN") return "unknown_host";
  return /^(?:ERR_TLS|ERR_SSL|CERT|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/.test(error.message) ? "bad_certificate" : "unreachable";
}

/** The seconds that a `Retry-After` header asks for: its number, or the time until its date. */
export function retryAfterSeconds(header: string | string[] | undefined): number | null {
  if (typeof header !== "string") return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000);
}

/** Connects to addresses of the internet only. It dials the address that it has checked, so a name that resolves differently later changes nothing. */
function guardedAgent(allowed: BlockList | null, needsTls: boolean): Agent {
  const dial = buildConnector({ timeout: 10_000 });
  const connect = async (options: buildConnector.Options, callback: buildConnector.Callback): Promise<void> => {
    const found = await reachable(options.hostname, allowed, needsTls && options.protocol !== "https:");
    if (typeof found === "string") dial({ ...options, hostname: found }, callback);
    else callback(found, null);
  };
  return new Agent({ connect: (options, callback) => void connect(options, callback) });
}

/** An address of the host that may be dialled, or an error. */
async function reachable(hostname: string, allowed: BlockList | null, allowedOnly: boolean): Promise<string | Error> {
  try {
    const found = (await lookup(hostname.replace(/^\[(.*)\]$/, "$1"), { all: true })).map(({ address }) => address);
    const address = found.find((candidate) => (allowedOnly ? isAllowed(candidate, allowed) : mayReach(candidate, allowed)));
    if (address !== undefined) return address;
    return found.some((candidate) => mayReach(candidate, allowed))
      ? new RequestFailed("not_encrypted", `${hostname} is not reached by https`)
      : new RequestFailed("address_private", `${hostname} is not an address of the internet`);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Addresses of IPv4 that belong to no public servers (IANA's special-purpose registry). */
const special4 = blockList(
  "ipv4",
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 " +
    "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3",
);
/** The public addresses of IPv6, and the special ones among them; mapped, translated, local and multicast addresses lie elsewhere. */
const global6 = blockList("ipv6", "2000::/3");
const special6 = blockList("ipv6", "2001::/23 2001:db8::/32 2002::/16 3fff::/20");

/** The problem of an address that a user enters, as far as the address itself tells; names are looked up with each request. */
export function addressProblem(address: string, allowed: BlockList | null): Said | null {
  const { protocol, hostname, username, password, hash } = new URL(address);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (username !== "" || password !== "") return say("Must not hold a user name or password");
  if (hash !== "") return say("Must not end with a # and a part of a page");
  if (protocol === "http:" && allowed === null) return say("Must begin with https://");
  const isInside = isIP(host) === 0 ? /(?:^|\.)localhost\.?$/.test(host) && allowed === null : !mayReach(host, allowed);
  return isInside ? say("Is not an address of the internet. Who runs the server can allow networks with WEBHOOK_ALLOW_PRIVATE") : null;
}

/** Whether an IP address belongs to the internet or to an `allowed` network. False for a text that is no address. */
export function mayReach(address: string, allowed: BlockList | null): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  if (isAllowed(address, allowed)) return true;
  return family === 4 ? !special4.check(address, "ipv4") : global6.check(address, "ipv6") && !special6.check(address, "ipv6");
}

const isAllowed = (address: string, allowed: BlockList | null): boolean =>
  isIP(address) !== 0 && allowed?.check(address, isIP(address) === 4 ? "ipv4" : "ipv6") === true;

function blockList(kind: "ipv4" | "ipv6", networks: string): BlockList {
  const list = new BlockList();
  for (const [address = "", bits] of networks.split(" ").map((network) => network.split("/"))) list.addSubnet(address, Number(bits), kind);
  return list;
}
