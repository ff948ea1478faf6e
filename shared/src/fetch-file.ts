import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { request, type Dispatcher, Agent, buildConnector } from "undici";

/** Why a file was not fetched; the message continues a sentence that begins with its address. */
export class FetchRefused extends Error {
  override name = "FetchRefused";
}

export interface FetchLimits {
  maxBytes: number;
  /** For the whole fetch. */
  timeoutMs: number;
  /** Private networks that may be reached. */
  allowed: BlockList | null;
}

export interface FetchedFile {
  /** As served, without parameters, in lower case. */
  type: string;
  bytes: Buffer;
}

/** Fetches a file from an address that a user entered: on the internet only, without redirects. @throws FetchRefused */
export async function fetchFile(url: string, { maxBytes, timeoutMs, allowed }: FetchLimits): Promise<FetchedFile> {
  await using agent = disposable(guardedAgent(allowed));
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await request(url, {
      dispatcher: agent.dispatcher,
      signal,
      headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": "Tidings" },
    });
    // A refused answer is never read, so its later errors do not matter.
    response.body.on("error", () => undefined);
    refuseAnswer(response, maxBytes);
    return { type: typeOf(response), bytes: await readBounded(response.body, maxBytes) };
  } catch (error) {
    if (error instanceof FetchRefused) throw error;
    if (error instanceof AddressRefused) throw new FetchRefused("is not an address of the internet", { cause: error });
    const why = signal.aborted ? `did not answer in full within ${timeoutMs / 1000} s` : `could not be fetched (${describeError(error)})`;
    throw new FetchRefused(why, { cause: error });
  }
}

function refuseAnswer({ statusCode, headers }: Dispatcher.ResponseData, maxBytes: number): void {
  if (statusCode >= 300 && statusCode < 400) throw new FetchRefused("leads to another address; give the one at the end");
  if (statusCode !== 200) throw new FetchRefused(`answered HTTP ${statusCode} instead of a file`);
  if ((headers["content-encoding"] ?? "identity") !== "identity") throw new FetchRefused("serves the file compressed");
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

async function readBounded(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (maxBytes: number): FetchRefused => new FetchRefused(`serves a file of more than ${Math.floor(maxBytes / 1_048_576)} MB`);

function typeOf({ headers }: Dispatcher.ResponseData): string {
  const type = headers["content-type"];
  return (Array.isArray(type) ? type.join() : (type ?? ""))
    .replace(/[;,].*$/s, "")
    .trim()
    .toLowerCase();
}

function describeError(error: unknown): string {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  return code || (error instanceof Error ? error.message : "unknown reason");
}

/** Its disposal closes the connection at once, even when the server is still sending. */
function disposable(agent: Dispatcher): AsyncDisposable & { dispatcher: Dispatcher } {
  return { dispatcher: agent, [Symbol.asyncDispose]: async () => agent.destroy() };
}

/** The name has no address that may be reached. */
class AddressRefused extends Error {
  override name = "AddressRefused";
}

/** Connects to addresses of the internet only. It dials the address that it has checked, so a name that resolves differently later changes nothing. */
function guardedAgent(allowed: BlockList | null, connectTimeoutMs = 10_000): Agent {
  const dial = buildConnector({ timeout: connectTimeoutMs });
  const connect = async (options: buildConnector.Options, callback: buildConnector.Callback): Promise<void> => {
    const found = await reachable(options.hostname, allowed);
    if (typeof found === "string") dial({ ...options, hostname: found }, callback);
    else callback(found, null);
  };
  return new Agent({ connect: (options, callback) => void connect(options, callback) });
}

/** An address of the host that may be dialled, or an error. */
async function reachable(hostname: string, allowed: BlockList | null): Promise<string | Error> {
  try {
    const found = await lookup(hostname.replace(/^\[(.*)\]$/, "$1"), { all: true });
    const address = found.find((candidate) => mayReach(candidate.address, allowed))?.address;
    return address ?? new AddressRefused(`${hostname} is not an address of the internet`);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Addresses of IPv4 that are no public servers (IANA's special-purpose registry). */
const special4 = blockList("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
]);
/** The public addresses of IPv6, and the special ones among them; mapped, translated, local and multicast addresses lie elsewhere. */
const global6 = blockList("ipv6", [["2000::", 3]]);
const special6 = blockList("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/** Whether an IP address belongs to the internet or to an `allowed` network. False for what is no address. */
export function mayReach(address: string, allowed: BlockList | null): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  const kind = family === 4 ? "ipv4" : "ipv6";
  if (allowed?.check(address, kind) === true) return true;
  return family === 4 ? !special4.check(address, kind) : global6.check(address, kind) && !special6.check(address, kind);
}

function blockList(kind: "ipv4" | "ipv6", networks: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of networks) list.addSubnet(address, bits, kind);
  return list;
}
