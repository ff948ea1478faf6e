import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import type { PlatformCall, PlatformClient } from "../client.ts";
import type { PlatformCredentials } from "../credentials.ts";
import { readError } from "../errors/read-error.ts";
import type { Answer } from "../http/answer.ts";
import { member } from "../http/json-member.ts";
import { PlatformError } from "../platform-error.ts";

type ManagementCall = Pick<PlatformCall, "method" | "query" | "body" | "cutAt"> & {
  /** Parts below the API version; each is encoded. */
  path: readonly string[];
  /** Instead of the account's own. */
  accessToken?: string | undefined;
};

/** The platform's word that the app, the user or the business account has used up its calls. */
export const throttles: ReadonlySet<string> = new Set(["4", "17", "80007"]);

const tries = 3;
const pauseMs = 200;

/**
 * A management call; gives the platform's answer. Reading is tried again when the platform is busy or out of reach, changing is not.
 * @throws PlatformError for everything that is no success.
 */
export async function request(
  client: PlatformClient,
  credentials: PlatformCredentials,
  { path, accessToken, ...call }: ManagementCall,
): Promise<object> {
  const full = `/${[credentials.apiVersion, ...path].map(encodeURIComponent).join("/")}`;
  for (let tried = 1; ; tried++) {
    const answer = await client.call({ ...call, path: full, accessToken: accessToken ?? credentials.accessToken });
    const outcome = outcomeOf(answer);
    if (!(outcome instanceof PlatformError)) return outcome;
    const late = performance.now() >= (call.cutAt ?? Infinity);
    if (tried === tries || late || !mayTryAgain(call.method, answer, outcome)) throw outcome;
    await setTimeout(pauseMs * tried);
  }
}

/** An answer of the platform to a call that was made once. @throws PlatformError for everything that is no success. */
export function readManagementAnswer(answer: Answer): object {
  const outcome = outcomeOf(answer);
  if (outcome instanceof PlatformError) throw outcome;
  return outcome;
}

function outcomeOf(answer: Answer): object | PlatformError {
  if (answer.kind !== "answered") return new PlatformError(`The platform could not be reached: ${answer.reason}.`);
  const { status, json } = answer;
  const error = member(json, "error");
  if (json === undefined || (status >= 300 && error === undefined)) {
    return new PlatformError(`The platform's address answered HTTP ${status}, but not in the platform's words. Check the address.`);
  }
  if (error === undefined) return json;
  const facts = readError(error, status);
  return new PlatformError(facts.reason, facts);
}

function mayTryAgain(method: PlatformCall["method"], answer: Answer, error: PlatformError): boolean {
  if (answer.kind === "not_sent") return true;
  return method === "GET" && (answer.kind === "lost" || answer.status >= 500 || isPassing(error));
}

/** A cursor that the platform no longer knows stays unknown: the list has to start again. Used-up calls come back within the hour. */
const notSoon = new Set(["131059", ...throttles]);

function isPassing({ facts }: PlatformError): boolean {
  return facts?.class === "transient" && !notSoon.has(facts.code ?? "");
}
