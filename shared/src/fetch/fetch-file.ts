import type { BlockList } from "node:net";
import { request, type Dispatcher } from "undici";
import { AddressRefused, guardedAgent } from "./guarded-agent.ts";

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
