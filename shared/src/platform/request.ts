import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { type Said, say } from "../core/wording.ts";
import { retry } from "../server/retry.ts";
import { authorization, type PlatformClient, type PlatformCredentials, PlatformError, type PlatformCall } from "./client.ts";
import { readError } from "./errors/classify.ts";
import { callQuotaCodes } from "./errors/known-errors.ts";
import { listMember, member, textMember, type Answer, idMember } from "./exchange.ts";
import type { ManagementClient } from "./management-client.ts";

/** The platform's default is 25; it may return fewer than asked. */
const pageSize = 100;

/** A list beyond these bounds is taken for endless: a business account has 6,000 templates at most. */
const maxItems = 10_000;
const maxPages = 1_000;

/**
 * Every item of a list of the platform, page by page.
 * @throws PlatformError also for an endless list: a cursor comes back, or there are more than 10,000 items or 1,000 pages.
 */
export async function* listItems(client: PlatformClient, credentials: PlatformCredentials, path: readonly string[], read: FieldsToRead) {
  const followed = new Set<string>();
  let items = 0;
  for (let after: string | undefined; ;) {
    const query = { ...read.query, limit: String(pageSize), ...(after !== undefined && { after }) };
    const page = await requestFields(client, credentials, path, { ...read, query });
    // An empty list here would delete the stored templates.
    if (!Array.isArray(member(page, "data")))
      throw new PlatformError(say("The platform's address answered with something else than a list. Check the address."));
    const found = listMember(page, "data");
    yield* found;
    items += found.length;
    after = nextCursor(page);
    if (after === undefined) return;
    const pages = followed.size + 1;
    if (followed.has(after)) throw endless(items, pages, say("and the cursor {cursor} came a second time", { cursor: quote(after) }));
    if (items >= maxItems || pages >= maxPages) throw endless(items, pages, say("and there were more to come"));
    followed.add(after);
  }
}

const endless = (items: number, pages: number, why: Said): PlatformError =>
  new PlatformError(
    say("The platform's list does not end: {items} entries came on {pages} pages, {why}. Nothing was taken from it. Try again later.", {
      items,
      pages,
      why,
    }),
  );

const quote = (cursor: string): string => JSON.stringify(cursor.length > 60 ? `${cursor.slice(0, 60)}…` : cursor);

/** The last page has a cursor but no `next`. The page after a full one is always requested. */
function nextCursor(page: object): string | undefined {
  const paging = member(page, "paging");
  const more = textMember(paging, "next") !== undefined || listMember(page, "data").length >= pageSize;
  return more ? textMember(member(paging, "cursors"), "after") : undefined;
}

interface FieldsToRead {
  /** Comma-separated. */
  fields: string;
  query?: Record<string, string> | undefined;
  /** An instant of `performance.now()`. */
  cutAt?: number | undefined;
  /** Fewer fields, which are read where the platform refuses `fields` with code 100; `onShort` is called then. */
  short?: string | undefined;
  onShort?: (() => void) | undefined;
}

/**
 * Reads an object or a page of a list with `fields` or `short`, or with the default fields if the platform's version lacks one of them.
 * @throws PlatformError
 */
export async function requestFields(
  client: PlatformClient,
  credentials: PlatformCredentials,
  path: readonly string[],
  { fields, query, cutAt, short, onShort }: FieldsToRead,
): Promise<object> {
  const call = { method: "GET", path, cutAt } as const;
  try {
    return await request(client, credentials, { ...call, query: { ...query, fields } });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const isRefused = error.facts?.code === "100";
    if (short !== undefined && isRefused) {
      onShort?.();
      return await requestFields(client, credentials, path, { fields: short, query, cutAt });
    }
    if (!isRefused || !/nonexisting field/i.test(error.message)) throw error;
    return request(client, credentials, { ...call, query });
  }
}

type ManagementCall = Pick<PlatformCall, "method" | "query" | "body" | "cutAt"> & {
  /** Path segments below the API version; each is encoded. */
  path: readonly string[];
  /** The token to use instead of the account's own. */
  accessToken?: string | undefined;
};

const tries = 3;
const pauseMs = 200;

/**
 * Makes a management call and returns the platform's answer. Reads are retried when the platform is busy or unreachable, writes are not.
 * @throws PlatformError unless the call succeeds.
 */
export async function request(client: PlatformClient, credentials: PlatformCredentials, { path, accessToken, ...call }: ManagementCall) {
  const full = `/${[credentials.apiVersion, ...path].map(encodeURIComponent).join("/")}`;
  let answer: Answer | undefined;
  const act = async (): Promise<object> => {
    answer = await client.call({ ...call, path: full, accessToken: accessToken ?? credentials.accessToken });
    return readManagementAnswer(answer);
  };
  return await retry(act, {
    pauseMs: (tried) => pauseMs * tried,
    again: (error, tried) => tried < tries && performance.now() < (call.cutAt ?? Infinity) && mayTryAgain(call.method, answer, error),
  });
}

/** Reads the answer to a management call. @throws PlatformError unless the call succeeded. */
function readManagementAnswer(answer: Answer): object {
  if (answer.kind !== "answered") throw new PlatformError(say("The platform could not be reached: {reason}.", { reason: answer.reason }));
  const { status, json } = answer;
  const error = member(json, "error");
  if (json === undefined || (status >= 300 && error === undefined)) {
    throw new PlatformError(
      say("The platform's address answered HTTP {status}, but not in the platform's words. Check the address.", { status }),
    );
  }
  if (error === undefined) return json;
  const facts = readError(error, status);
  throw new PlatformError(facts.reason, facts);
}

function mayTryAgain(method: PlatformCall["method"], answer: Answer | undefined, error: unknown): boolean {
  if (answer === undefined || !(error instanceof PlatformError)) return false;
  if (answer.kind === "not_sent") return true;
  return method === "GET" && (answer.kind === "lost" || answer.status >= 500 || isPassing(error));
}

/** Transient errors that a pause of seconds does not help: an expired cursor stays expired, and calls come back within the hour. */
const notSoon = new Set(["131059", ...callQuotaCodes]);

const isPassing = ({ facts }: PlatformError): boolean => facts?.class === "transient" && !notSoon.has(facts.code ?? "");

/** A header's file. */
export interface MediaBytes {
  name: string;
  /** A type that the header's format accepts. */
  type: string;
  bytes: Uint8Array;
}

/** Uploads a file. Messages of this number can use the returned id for 30 days. @throws PlatformError */
export async function uploadMedia(client: ManagementClient, credentials: PlatformCredentials, file: MediaBytes): Promise<string> {
  const boundary = `tidings-${randomBytes(12).toString("hex")}`;
  const path = `/${[credentials.apiVersion, credentials.phoneNumberId, "media"].map(encodeURIComponent).join("/")}`;
  const headers = {
    authorization: authorization("Bearer", credentials.accessToken),
    "content-type": `multipart/form-data; boundary=${boundary}`,
  };
  const id = idMember(readManagementAnswer(await client.upload({ path, headers, body: multipart(boundary, file) })), "id");
  if (id === undefined) throw new PlatformError(say("The platform took the header's file but gave no id for it. Try again later."));
  return id;
}

function multipart(boundary: string, { name, type, bytes }: MediaBytes): Uint8Array[] {
  const field = (key: string, value: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`;
  // A quote or a line break in the name would end the header.
  const fileName = name.replace(/[\p{Cc}"\\]/gu, "_");
  const head =
    field("messaging_product", "whatsapp") +
    field("type", type) +
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: ${type}\r\n\r\n`;
  return [Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)];
}

/** The session id ends in a signature; both go into the URL as they are. */
const sessionForm = /^upload:[\w+/=.~%:-]+(\?[\w+/=.~%:&-]+)?$/;

/**
 * Uploads the sample of a media header for the platform's reviewers. Returns the handle for the template's example.
 * @param appId Samples belong to the app, not to the business account.
 * @throws PlatformError
 */
export async function uploadSample(client: ManagementClient, credentials: PlatformCredentials, appId: string, file: MediaBytes) {
  const query = { file_name: file.name, file_length: String(file.bytes.length), file_type: file.type };
  const session = textMember(await request(client, credentials, { method: "POST", path: [appId, "uploads"], query }), "id");
  if (session === undefined || !sessionForm.test(session))
    throw new PlatformError(say("The platform opened no upload for the header's file and does not say why. Try again later."));
  const headers = { authorization: authorization("OAuth", credentials.accessToken), file_offset: "0", "content-type": file.type };
  const path = `/${encodeURIComponent(credentials.apiVersion)}/${session}`;
  const handle = textMember(readManagementAnswer(await client.upload({ path, headers, body: [file.bytes] })), "h");
  if (handle === undefined) throw new PlatformError(say("The platform took the header's file but gave no handle for it. Try again later."));
  return handle;
}
