import { signBody } from "shared/secrets/signature";
import type { Change, HeaderValue, ServiceHeaders } from "../../support/arbitrary/ingest.ts";
import type { Shop } from "../../support/gateway.ts";
import { isAccepted, isLast, kindOf, undocumented, readAnswers, type WireAnswer, talk, type Expected } from "./answers.ts";
import { readAccepted, type Claim, type FuzzWorld, type Signer, signers } from "./world.ts";

/** Requests that share a connection, one right behind the other. */
const pipelined = 4;
const last = Buffer.from("GET /api/public/health HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n");

type Answered = { request: EventRequest; answer: WireAnswer };

/** Posts the cases and judges each answer by the documented order of checks, and the stored and sent events by the answers. */
export function createEventFuzz(world: FuzzWorld) {
  const replays = createReplays();
  return async (group: readonly EventCase[]): Promise<string[]> => {
    const requests = group.flatMap((wanted) => {
      const request = toRequest(world, wanted);
      return wanted.twice ? [request, request] : [request];
    });
    const connections = Array.from({ length: Math.ceil(requests.length / pipelined) }, (_, i) =>
      requests.slice(i * pipelined, (i + 1) * pipelined),
    );
    const results = await Promise.all(connections.map(async (lane) => post(world.gateway.port, lane)));
    const problems = results.flatMap((result) => result.problems);
    const answered = results.flatMap((result) => result.answered);
    problems.push(...answered.flatMap(judge));
    const taken = answered.filter(({ answer }) => isAccepted(answer));
    problems.push(...replays(taken, world));
    const claims = taken.filter(({ answer }) => !isReplay(answer)).map(({ request, answer }) => toClaim(world, request, answer));
    problems.push(...claims.filter((claim) => typeof claim === "string"));
    problems.push(...(await world.books.check(claims.filter((claim) => typeof claim !== "string"))));
    return problems;
  };
}

/** Every request is answered in its turn, unless an answer says that it is the connection's last. */
async function post(port: number, lane: EventRequest[]): Promise<{ problems: string[]; answered: Answered[] }> {
  const { answers, problem } = readAnswers((await talk(port, [Buffer.concat([...lane.map(toBytes), last])])).bytes);
  const problems = problem === null ? [] : [problem];
  // The client itself ends the connection behind the last request.
  const isWhole = answers.length <= lane.length + 1 && answers.length > 0 && answers.findIndex(isLast) === answers.length - 1;
  if (!isWhole)
    problems.push(`${lane.length + 1} requests, ${answers.length} answers, of which the last is none or not the first to say so`);
  const answered = lane.flatMap((request, i) => {
    const answer = answers[i];
    return answer ? [{ request, answer }] : [];
  });
  return { problems, answered };
}

function judge({ request, answer }: Answered): string[] {
  const got = kindOf(answer);
  const expected = expectedOf(request);
  const isExpected = got !== null && expected.includes(got);
  return [
    ...undocumented(answer),
    ...(isExpected ? [] : [`${describe(request)}: ${answer.status} ${answer.body.slice(0, 200)}, not ${expected.join(" or ")}`]),
  ];
}

const describe = ({ method, target, fields, body }: EventRequest): string =>
  `${method} ${target.slice(0, 200)} ${JSON.stringify(fields).slice(0, 700)} ${body.length} bytes ${JSON.stringify(body.subarray(0, 200).toString("latin1"))}`;

const isReplay = ({ headers }: WireAnswer): boolean => headers["x-service-idempotent-replay"] === "true";

function toClaim(world: FuzzWorld, request: EventRequest, { body }: WireAnswer): Claim | string {
  const accepted = readAccepted(body);
  return typeof accepted === "string"
    ? accepted
    : { ...accepted, texts: new Map([[request.body.toString("utf8"), senderOf(world, request)]]) };
}

/** Checks replays: within the window a key has one original, and every replay has its bytes. */
function createReplays() {
  const originals = new Map<string, { body: string; at: number }>();
  const windowMs = 290_000;
  return (taken: readonly Answered[], world: FuzzWorld): string[] => {
    const problems: string[] = [];
    for (const { request, answer } of taken.toSorted((a, b) => Number(isReplay(a.answer)) - Number(isReplay(b.answer)))) {
      const key = joined(request.fields, "X-Service-Idempotency-Key");
      const { event, dry_run: dryRun } = JSON.parse(answer.body) as { event: string; dry_run?: boolean };
      const place = JSON.stringify([senderOf(world, request).siteId, event, dryRun === true, key]);
      const original = originals.get(place);
      if (isReplay(answer)) {
        if (original?.body !== answer.body) problems.push(`a replay of nothing, or with other bytes: ${answer.body.slice(0, 200)}`);
      } else if (key !== "") {
        if (original && Date.now() - original.at < windowMs) problems.push(`a key had two originals: ${place}`);
        originals.set(place, { body: answer.body, at: Date.now() });
      }
    }
    return problems;
  };
}

/** A request to post an event, before anything of this run is in it. */
export interface EventCase {
  method: string;
  target: string;
  signer: Signer;
  headers: ServiceHeaders;
  body: Buffer;
  chunked: boolean;
  /** True if the request is sent a second time right behind itself. */
  twice: boolean;
}

let made = 0;

/** The request with this run's keys, signatures and time in it. */
function toRequest({ sites }: Pick<FuzzWorld, "sites">, wanted: EventCase): EventRequest {
  const { method, target, signer, headers, body, chunked } = wanted;
  const site = sites[signer];
  const now = Math.floor(Date.now() / 1000);
  made += 1;
  const write = (name: string, values: HeaderValue[], right: string, other: (offset: number) => string): [string, string][] =>
    values.map((value) => [name, writeValue(value, right, other)]);
  const fields = [
    ...write("X-Service-Site-Key", headers.siteKey, site.key, () => sites.other.key),
    ...write("X-Service-Signature", headers.signature, signBody(site.secret, body), () => signBody("another secret", body)),
    ...write("X-Service-Timestamp", headers.timestamp, String(now), (offset) => String(now + offset)),
    ...write("X-Service-Idempotency-Key", headers.idempotencyKey, `key-${made}`, String),
    ...write("X-Service-Mode", headers.mode, "live", String),
    ...write("Content-Type", headers.contentType, "application/json", String),
    ...write("Content-Encoding", headers.contentEncoding, "identity", String),
  ];
  const key = joined(fields, "X-Service-Site-Key");
  const keyOf = signers.find((name) => sites[name].key === key) ?? null;
  const isSigned = keyOf !== null && joined(fields, "X-Service-Signature") === signBody(sites[keyOf].secret, body);
  return { method, target, fields, body, chunked, keyOf, isSigned, now };
}

/** The request on the wire. */
function toBytes({ method, target, fields, body, chunked }: EventRequest): Buffer {
  const framing = chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`;
  const lines = [`${method} ${target} HTTP/1.1`, "Host: gateway", ...fields.map(([name, value]) => `${name}: ${value}`), framing];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  return Buffer.concat([head, ...(chunked ? toChunks(body) : [body])]);
}

/** The body in chunks of growing size. */
export function toChunks(body: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, size = 7; at < body.length; at += size, size *= 3) {
    const piece = body.subarray(at, at + size);
    chunks.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
    if (at + size >= body.length) break;
  }
  return [...chunks, Buffer.from("0\r\n\r\n")];
}

/** The owner of the key that the request carries. */
const senderOf = ({ sites }: Pick<FuzzWorld, "sites">, { keyOf }: EventRequest): Shop => sites[keyOf ?? "plain"];

/** The value of a header by the rules of HTTP: several fields of a name are one, and spaces and tabs around a value are not part of it. */
const joined = (fields: EventRequest["fields"], name: string): string =>
  fields
    .filter(([each]) => each === name)
    .map(([, value]) => value.replace(/^[\t ]+|[\t ]+$/g, ""))
    .join(", ");

function writeValue(value: HeaderValue, right: string, other: (offset: number) => string): string {
  switch (value.kind) {
    case "right":
      return right;
    case "changed":
      return change(right, value.change);
    case "other":
      return other(value.offset);
    case "text":
      return value.text;
  }
}

function change(right: string, how: Change): string {
  switch (how) {
    case "upper":
      return right.toUpperCase();
    case "lower":
      return right.toLowerCase();
    case "cut":
      return right.slice(0, -1);
    case "longer":
      return `${right}0`;
    case "without prefix":
      return right.replace(/^(sha256=|sk_live_)/, "");
    case "padded":
      return ` \t${right} \t`;
    case "quoted":
      return `"${right}"`;
  }
}

/** A request as it is on the wire, and the known facts of its sender. */
interface EventRequest {
  method: string;
  /** The request's target. */
  target: string;
  /** The fields in their order; a name may occur several times. */
  fields: readonly (readonly [name: string, value: string])[];
  body: Buffer;
  chunked: boolean;
  /** The owner of the key that the request carries, whole and alone; null for no key. */
  keyOf: Signer | null;
  /** Whether the signature is the key owner's over these bytes. */
  isSigned: boolean;
  /** Seconds since 1970. */
  now: number;
}

const maxBodyBytes = 1_048_576;
const pages = ["/", "/api/public/health", "/api/public/ready", "/api/public/docs/bundle"];

/** The documented order of checks, written a second time. Several rows if the documentation leaves open which one comes. */
function expectedOf(request: EventRequest): Expected[] {
  const { method } = request;
  const path = request.target.split("?", 1)[0] ?? "";
  if (pages.includes(path)) return [method === "GET" ? "page" : "method_not_allowed"];
  const [, api, open, ingest, source, event, ...more] = path.split("/");
  const isIngest = api === "api" && open === "public" && ingest === "ingest" && source && event && more.length === 0;
  if (!isIngest) return ["not_found"];
  if (method === "OPTIONS") return ["preflight"];
  if (method !== "POST") return ["method_not_allowed"];
  const names = [source, event].map(decode);
  if (names.includes(null)) return ["bad_request", "not_found"];
  return ofCaller(request) ?? ofSite(request) ?? ofContent(request, names[0] ?? "", names[1] ?? "");
}

/** The checks up to the signature: from the headers, then the body's size. */
function ofCaller(request: EventRequest): Expected[] | null {
  const isTooLarge = request.body.length > maxBodyBytes;
  if (isTooLarge && !request.chunked) return ["body_too_large"];
  if (valueOf(request, "x-service-site-key") === "") return ["missing_site_key"];
  if (request.keyOf === null) return ["invalid_site_key"];
  if (isTooLarge) return ["body_too_large"];
  return request.isSigned ? null : ["invalid_signature"];
}

function ofSite(request: EventRequest): Expected[] | null {
  const timestamp = valueOf(request, "x-service-timestamp");
  if (timestamp === "" && request.keyOf === "strict") return ["missing_timestamp"];
  if (timestamp !== "") {
    const isNear = Math.abs(request.now - Number(timestamp)) <= 300;
    if (!/^[0-9]+$/.test(timestamp) || !isNear) return ["stale_timestamp"];
  }
  return request.keyOf === "disabled" ? ["site_disabled"] : null;
}

function ofContent(request: EventRequest, source: string, event: string): Expected[] {
  const { "content-type": types = [], "content-encoding": encodings = [] } = fieldsByName(request);
  const isJson = types.map((type) => /^application\/json[\t ]*(;|$)/i.test(type));
  const isPlain = encodings.every((encoding) => encoding === "" || encoding.toLowerCase() === "identity");
  if (!isJson.includes(true) || !isPlain) return ["unsupported_content_type"];
  // The documentation leaves open which of two types counts, and whether two encodings are one.
  const alternatives: Expected[] = isJson.includes(false) || encodings.length > 1 ? ["unsupported_content_type"] : [];
  return [...alternatives, ...ofJson(request, source, event)];
}

function ofJson(request: EventRequest, source: string, event: string): Expected[] {
  const json = parse(request.body);
  if (json === undefined) return ["malformed_json"];
  if (typeof json !== "object" || json === null || Array.isArray(json)) return ["not_an_object"];
  const ofPath: Expected[] = [
    ...(isEventName(event) ? [] : (["invalid_event_name"] as const)),
    ...(/^[A-Za-z0-9._-]{1,64}$/.test(source) ? [] : (["invalid_source"] as const)),
  ];
  const ofHeaders: Expected[] = [
    ...(/^[ -~]{0,255}$/.test(valueOf(request, "x-service-idempotency-key")) ? [] : (["invalid_idempotency_key"] as const)),
    ...(/^(test|live|)$/i.test(valueOf(request, "x-service-mode")) ? [] : (["invalid_mode"] as const)),
  ];
  return [ofPath, ofHeaders, ["accepted" as const]].find((rows) => rows.length > 0) ?? [];
}

const isEventName = (text: string): boolean =>
  text.length <= 128 && /^[\0-\x7f]*$/.test(text) && /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(text.toLowerCase());

/** The header's value: several fields of a name count as one with all their values, by the rules of HTTP. */
const valueOf = (request: EventRequest, name: string): string => (fieldsByName(request)[name] ?? []).join(", ");

function fieldsByName({ fields }: EventRequest): Record<string, string[]> {
  const byName: Record<string, string[]> = {};
  for (const [name, value] of fields) (byName[name.toLowerCase()] ??= []).push(value.replace(/^[\t ]+|[\t ]+$/g, ""));
  return byName;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return undefined;
  }
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
