import type { WireAnswer } from "./read-answers.ts";

/** Status and text of every documented refusal that a client can bring about by itself, written down a second time: the product's own table is what is on trial. */
const refusals = {
  badRequest: [400, "Bad request"],
  malformedJson: [400, "Malformed JSON"],
  notAnObject: [400, "Body must be a JSON object"],
  invalidEventName: [400, "Invalid event name"],
  invalidSource: [400, "Invalid source"],
  invalidKey: [400, "Invalid idempotency key"],
  invalidMode: [400, "Invalid mode"],
  missingSiteKey: [401, "Missing site key"],
  invalidSiteKey: [401, "Invalid site key"],
  invalidSignature: [401, "Invalid signature"],
  missingTimestamp: [401, "Missing timestamp"],
  staleTimestamp: [401, "Stale timestamp"],
  siteDisabled: [403, "Site is disabled"],
  invalidVerifyToken: [403, "Invalid verify token"],
  notFound: [404, "Not found"],
  methodNotAllowed: [405, "Method not allowed"],
  requestTimeout: [408, "Request timeout"],
  bodyTooLarge: [413, "Body too large"],
  unsupportedContentType: [415, "Unsupported content type"],
  expectationFailed: [417, "Expectation failed"],
  rateLimited: [429, "Rate limit exceeded"],
  headersTooLarge: [431, "Headers too large"],
} as const satisfies Record<string, readonly [number, string]>;

export type RefusalRow = keyof typeof refusals;

const bodies = new Map<string, RefusalRow>(
  Object.entries(refusals).map(([row, [status, error]]) => [`${status} {"error":"${error}"}`, row as RefusalRow]),
);

/** The documented row that the answer is, to the byte; null: none. */
export const rowOf = ({ status, body }: WireAnswer): RefusalRow | null => bodies.get(`${status} ${body}`) ?? null;

/** What is wrong with the gateway's answer whatever was asked: neither a success nor a documented refusal, or without the headers that every answer carries. */
export function undocumented(answer: WireAnswer): string[] {
  const { status, headers, body } = answer;
  const isJson = headers["content-type"] === "application/json; charset=utf-8";
  const row = rowOf(answer);
  const problems = [
    ...(row === null && ![200, 204].includes(status) ? [`an answer that is not documented: ${status} ${body.slice(0, 300)}`] : []),
    ...(headers["access-control-allow-origin"] === "*" ? [] : [`${status} without Access-Control-Allow-Origin: *`]),
    ...(row === null || isJson ? [] : [`${status} as ${headers["content-type"]}`]),
    ...(status === 405 && headers["allow"] === undefined ? ["405 without Allow"] : []),
    ...(status === 429 && !/^[1-9]\d*$/.test(headers["retry-after"] ?? "") ? ["429 without Retry-After"] : []),
  ];
  return problems;
}
