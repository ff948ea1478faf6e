import { signBody } from "shared/secrets/signature";
import { type HttpBytes, toPackets, type PlainRequest } from "../../support/arbitrary/ingest.ts";
import type { Shop } from "../../support/gateway.ts";
import { isAccepted, isLast, kindOf, undocumented, readAnswers, type WireAnswer, talk, type Expected } from "./answers.ts";
import { toChunks } from "./events.ts";
import { readAccepted, type Claim, type Texts, type FuzzWorld } from "./world.ts";

/** Bytes that end everything that the gateway may still take for a request: they fit into no header and no chunk's size. */
const fullStop = Buffer.from("\r\n\r\n\0\0\r\n\r\n");

/** Sends the bytes and judges the answers and the stored events: the exact answers if nothing was edited, else any documented ones. */
export function createBytesFuzz(world: FuzzWorld) {
  const stories = new Map<string, string>();
  return async (group: readonly HttpBytes[]): Promise<string[]> => {
    const results = await Promise.all(group.map(async (one) => exchange(world, one)));
    const claims = results.flatMap((result) => result.claims);
    const unanswered = results.flatMap((result) => result.unanswered);
    for (const { names, story } of results) for (const name of names) stories.set(name, story);
    const unaccounted = await world.books.check(claims, unanswered);
    const told = unaccounted.map((problem) => `${problem}; it went ${stories.get(/"raw-\d+"/.exec(problem)?.[0] ?? "")}`);
    return [...results.flatMap(({ problems }) => problems), ...told];
  };
}

interface Result {
  problems: string[];
  claims: Claim[];
  /** The signed bodies of a client that did not wait for its answers. */
  unanswered: Texts[];
  /** The orders, requests and answers, for the message if something is wrong. */
  names: string[];
  story: string;
}

async function exchange(world: FuzzWorld, one: HttpBytes): Promise<Result> {
  const written = one.requests.map((request) => writePlain(world, request));
  const packets = toPackets(Buffer.concat(written.map(({ bytes }) => bytes)), one);
  const waits = one.leave === "wait";
  const heard = await talk(world.gateway.port, waits ? [...packets, fullStop] : packets, one.leave);
  const { answers, problem } = readAnswers(heard.bytes);
  const texts: Texts = new Map(written.flatMap(({ text, shop }) => (text === null ? [] : [[text, shop]])));
  const accepted = answers.filter(isAccepted).map(({ body }) => readAccepted(body));
  return {
    problems: [
      ...(problem === null || heard.wasReset || one.leave === "reset" ? [] : [problem]),
      ...answers.flatMap(undocumented),
      ...accepted.filter((answer) => typeof answer === "string"),
      ...(waits && one.edits.length === 0 ? inTurn(answers, written, heard.wasReset) : []),
    ],
    claims: accepted.filter((answer) => typeof answer !== "string").map((answer) => ({ ...answer, texts })),
    unanswered: waits && !heard.wasReset ? [] : [texts],
    names: written.map(({ order }) => JSON.stringify(order)),
    story: `${JSON.stringify(one)} answered ${answers.map(kindOf).join()}${heard.wasReset ? ", reset" : ""}`,
  };
}

/**
 * Each request has its own answer, in order, until one says that it is the last; the full stop is a bad request. A client that still sends when the
 * connection closes behind the last may lose answers to a reset, and knows that.
 */
function inTurn(answers: readonly WireAnswer[], written: readonly WrittenRequest[], wasReset: boolean): string[] {
  const kinds = answers.map(kindOf);
  const whole = [...written.map((request) => request.expected), "bad_request"];
  const heard = answers.some(isLast) ? answers.findIndex(isLast) + 1 : wasReset ? answers.length : whole.length;
  const expected = whole.slice(0, heard);
  return kinds.join() === expected.join() ? [] : [`answered ${kinds.join() || "nothing"} for ${expected.join()}`];
}

interface WrittenRequest {
  bytes: Buffer;
  /** The order's name, unlike that of any other. */
  order: string;
  /** The shop that signed it. */
  shop: Shop;
  /** The text that is stored if the request is taken, unlike that of any other, also after an edit of its path or method; null: nothing is ever stored. */
  text: string | null;
  /** The expected answer, unless the bytes are edited. */
  expected: Expected;
}

let written = 0;

/** A well-formed request of that kind. */
function writePlain({ sites }: Pick<FuzzWorld, "sites">, { kind, framing, ballast }: PlainRequest): WrittenRequest {
  const shop = kind === "foreign event" ? sites.other : sites.plain;
  written += 1;
  const order = `raw-${written}`;
  const payload = { customer: { first_name: "Ada", phone_e164: "+15551230001" }, order: { id: order }, data: "x".repeat(ballast) };
  const body = Buffer.from(JSON.stringify(payload));
  const [line, expected] = lines(shop)[kind];
  const hasBody = line.startsWith("P");
  const isSigned = kind !== "unsigned event";
  const head = [
    `${line} HTTP/1.1`,
    "Host: gateway",
    `X-Service-Site-Key: ${shop.key}`,
    `X-Service-Signature: ${signBody(isSigned ? shop.secret : "another secret", body)}`,
    "Content-Type: application/json",
    ...(kind === "dry run" ? ["X-Service-Mode: test"] : []),
    ...(hasBody ? framingFields(framing, body.length) : []),
  ];
  const bytes = Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), ...(hasBody ? frame(framing, body) : [])]);
  return { bytes, order, shop, text: hasBody && isSigned ? body.toString() : null, expected };
}

const lines = ({ accountId }: Shop): Record<PlainRequest["kind"], [line: string, expected: Expected]> => ({
  event: ["POST /api/public/ingest/generic/order.created", "accepted"],
  "foreign event": ["POST /api/public/ingest/generic/order.created", "accepted"],
  "dry run": ["POST /api/public/ingest/generic/order.created", "accepted"],
  "unsigned event": ["POST /api/public/ingest/generic/order.created", "invalid_signature"],
  health: ["GET /api/public/health", "page"],
  preflight: ["OPTIONS /api/public/ingest/generic/order.created", "preflight"],
  "unknown path": ["POST /api/public/ingest/generic/order.created/more", "not_found"],
  "wrong method": ["PUT /api/public/ingest/generic/order.created", "method_not_allowed"],
  handshake: [`GET /api/public/platform/webhook/${accountId}?hub.mode=subscribe&hub.verify_token=guess`, "invalid_verify_token"],
});

const framingFields = (framing: PlainRequest["framing"], length: number): string[] => {
  if (framing === "length") return [`Content-Length: ${length}`];
  return framing === "asks first" ? [`Content-Length: ${length}`, "Expect: 100-continue"] : ["Transfer-Encoding: chunked"];
};

function frame(framing: PlainRequest["framing"], body: Buffer): Buffer[] {
  if (framing === "length" || framing === "asks first") return [body];
  const [chunks, end] = [toChunks(body).slice(0, -1), "0"];
  if (framing === "chunks with a trailer")
    return [...chunks, Buffer.from(`${end}\r\nX-Service-Mode: test\r\nX-Service-Site-Key: sk_live_x\r\n\r\n`)];
  if (framing === "chunked") return [...chunks, Buffer.from(`${end}\r\n\r\n`)];
  const extended = chunks.map((chunk, i) =>
    i % 3 === 0 ? Buffer.from(chunk.toString("latin1").replace("\r\n", ';a=b;c="d e"\r\n'), "latin1") : chunk,
  );
  return [...extended, Buffer.from(`${end};last\r\n\r\n`)];
}
