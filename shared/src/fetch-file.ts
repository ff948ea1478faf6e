import type { BlockList } from "node:net";
import { type Answered, guardedGet, RequestFailed } from "./guarded-request.ts";

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
export async function fetchFile(url: string, limits: FetchLimits): Promise<FetchedFile> {
  try {
    const answered = await guardedGet(url, limits, { judge: refuseAnswer });
    return { type: typeOf(answered), bytes: answered.bytes };
  } catch (error) {
    throw error instanceof RequestFailed ? new FetchRefused(describeFailure(error, limits), { cause: error }) : error;
  }
}

function refuseAnswer({ statusCode, headers }: Answered): void {
  if (statusCode >= 300 && statusCode < 400) throw new FetchRefused("leads to another address; give the one at the end");
  if (statusCode !== 200) throw new FetchRefused(`answered HTTP ${statusCode} instead of a file`);
  if ((headers["content-encoding"] ?? "identity") !== "identity") throw new FetchRefused("serves the file compressed");
}

function describeFailure({ fault, message }: RequestFailed, { maxBytes, timeoutMs }: FetchLimits): string {
  if (fault === "address_private") return "is not an address of the internet";
  if (fault === "too_large") return `serves a file of more than ${Math.floor(maxBytes / 1_048_576)} MB`;
  return fault === "timeout" ? `did not answer in full within ${timeoutMs / 1000} s` : `could not be fetched (${message})`;
}

function typeOf({ headers }: Answered): string {
  const type = headers["content-type"];
  return (Array.isArray(type) ? type.join() : (type ?? ""))
    .replace(/[;,].*$/s, "")
    .trim()
    .toLowerCase();
}
