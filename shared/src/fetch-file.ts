import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { request, type Dispatcher, Agent, buildConnector } from "undici";

/** Why a file was not fetched, as the end of a sentence about its address. */
export class FetchRefused extends Error {
  override name = "FetchRefused";
}

export interface FetchLimits {
  maxBytes: number;
  /** For everything together. */
  timeoutMs: number;
  /** Networks that may be reached although they are private. */
  allowed: BlockList | null;
}

export interface FetchedFile {
  /** As served, without parameters, in lower case. */
  type: string;
  bytes: Buffer;
}

/** A file from an address that somebody gave us: of the internet only, in one answer without redirects, as a whole. @throws FetchRefused */
export async function fetchFile(url: string, { maxBytes, timeoutMs, allowed }: FetchLimits): Promise<FetchedFile> {
  await using agent = disposable(guardedAgent(allowed));
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await request(url, {
      dispatcher: agent.dispatcher,
      signal,
      headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": "Tidings" },
    });
    // One that is refused is never read, and what breaks on it then is nobody's loss.
    response.body.on("error", () => undefined);
    refuseAnswer(response, maxBytes);
    return { type: typeOf(response), bytes: await readBounded(response.body, maxBytes) };
  } catch (error) {
    if (error instanceof FetchRefused) throw error;
    if (error instanceof AddressRefused) throw new FetchRefused("is not an address of the internet", { cause: error });
    const why = signal.aborted ? `did not answer in full within ${timeoutMs / 1000} s` : `could not be fetched (${wordsOf(error)})`;
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

function wordsOf(error: unknown): string {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  return code || (error instanceof Error ? error.message : "unknown reason");
}

/** Nothing of a stranger's server is kept open, nor is what it still sends read. */
function disposable(agent: Dispatcher): AsyncDisposable & { dispatcher: Dispatcher } {
  return { dispatcher: agent, [Symbol.asyncDispose]: async () => agent.destroy() };
}

/** The name leads to no address that may be reached. */
class AddressRefused extends Error {
  override name = "AddressRefused";
}

/**
 * Connects to addresses of the internet only, whatever a name resolves to: the address that is checked is the one that is dialled, so a name that is
 * resolved again in between changes nothing.
 * @param allowed Networks that may be reached although they are private.
 */
function guardedAgent(allowed: BlockList | null, connectTimeoutMs = 10_000): Agent {
  const dial = buildConnector({ timeout: connectTimeoutMs });
  const connect = async (options: buildConnector.Options, callback: buildConnector.Callback): Promise<void> => {
    const found = await reachable(options.hostname, allowed);
    if (typeof found === "string") dial({ ...options, hostname: found }, callback);
    else callback(found, null);
  };
  return new Agent({ connect: (options, callback) => void connect(options, callback) });
}

/** An address of the host's that may be dialled, or why there is none. */
async function reachable(hostname: string, allowed: BlockList | null): Promise<string | Error> {
  try {
    const found = await lookup(hostname.replace(/^\[(.*)\]$/, "$1"), { all: true });
    const address = found.find((candidate) => mayReach(candidate.address, allowed))?.address;
    return address ?? new AddressRefused(`${hostname} is not an address of the internet`);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** What lies in the wide range of addresses that are handed out, and still is nobody's server (IANA's special-purpose registries). */
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
/** Of IPv6 only this is handed out: mapped, translated, local and multicast addresses all lie elsewhere. */
const global6 = blockList("ipv6", [["2000::", 3]]);
const special6 = blockList("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/** Whether an IP address belongs to the internet, or else to a network that was `allowed`. False for everything that is no address. */
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
