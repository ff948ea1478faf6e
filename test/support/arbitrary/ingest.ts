import fc from "fast-check";
import { data } from "../data.ts";
import { words } from "../words.ts";

const characters = "abzAZ09._-~!$&'()*+,;=:@[]{}|\\^`\"<>";
const character = fc.constantFrom(...characters.split(""));

/** Percent-encodings: of characters that may stand plain, of others, of no UTF-8, overlong, cut short. */
const encoded = fc.constantFrom(
  ...words(`
  %2e %2E%2e %2F %5C %00 %20 %25 %C3%A9 %F0%9F%98%80 %41 %E2%84%AA %ff %C0%AE %ED%A0%80 % %2 %zz %u0041
`),
);

const likely = fc.constantFrom(
  ...words(`
  generic shopify order.created ORDER.Created test Test order..created . .. order. a_b-c.d constructor __proto__
`),
);

/** One part between two slashes. */
const segment = fc.oneof(
  { weight: 6, arbitrary: likely },
  { weight: 3, arbitrary: fc.array(fc.oneof(character, encoded), { minLength: 1, maxLength: 6 }).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.tuple(likely, encoded).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.constantFrom(60, 64, 65, 127, 128, 129, 600, 3_000).map((length) => "a".repeat(length)) },
);

const query = fc.oneof(
  { weight: 5, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: fc.constantFrom("?", "?a=b", "?x=/../..", "?%", "??") },
);
const join = (parts: readonly string[]): string => parts.join("");

const strange = fc.constantFrom(
  ...words(`
  / // /api/public /api/public/ingest /api/public/ingest/ /api/public/ingest//order.created /api/public/ingest/generic/
  //api/public/ingest/generic/order.created /api//public/ingest/generic/order.created /./api/public/ingest/generic/order.created
  /x/../api/public/ingest/generic/order.created /api/public/ingest/../health /API/public/ingest/generic/order.created
  /api/public/Ingest/generic/order.created /api/%70ublic/ingest/generic/order.created /api/public/ingest%2Fgeneric/order.created
  /api/public/ingest/generic/order.created/ /api/public/ingest/generic/order.created/more /api/public/health /api/public/ready
  /api/public/docs/bundle /api/public/docs/../docs/bundle /trpc/auth.me /_sandbox/messages
`),
);

/** A request's target: the ingest path with odd values, or something near it. Printable ASCII without spaces. */
export const ingestTarget: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constant("/api/public/ingest/"), segment, fc.constant("/"), segment, query).map(join) },
  { weight: 1, arbitrary: fc.tuple(strange, query).map(join) },
  { weight: 1, arbitrary: fc.array(segment, { maxLength: 8 }).map((parts) => `/${parts.join("/")}`) },
);

/** The content of one header whose parts only the run knows: keys, signatures and the time. */
export type HeaderValue =
  | { kind: "right" }
  /** The right value with a change. */
  | { kind: "changed"; change: Change }
  /** The value of another site, or of another time: this many seconds from now. */
  | { kind: "other"; offset: number }
  | { kind: "text"; text: string };

const changes = ["upper", "lower", "cut", "longer", "without prefix", "padded", "quoted"] as const;
export type Change = (typeof changes)[number];

/** The values of each header; several for a repeated header, none for a missing one. */
export interface ServiceHeaders {
  siteKey: HeaderValue[];
  signature: HeaderValue[];
  timestamp: HeaderValue[];
  idempotencyKey: HeaderValue[];
  mode: HeaderValue[];
  contentType: HeaderValue[];
  contentEncoding: HeaderValue[];
}

const text = (value: string): HeaderValue => ({ kind: "text", text: value });
const texts = (...values: string[]): fc.Arbitrary<HeaderValue> => fc.constantFrom(...values).map(text);
const right: fc.Arbitrary<HeaderValue> = fc.constant({ kind: "right" });
const changed: fc.Arbitrary<HeaderValue> = fc.constantFrom(...changes).map((change) => ({ kind: "changed", change }));
const other: fc.Arbitrary<HeaderValue> = fc
  .constantFrom(-1e9, -3_600, -310, -290, 0, 290, 310, 3_600, 1e9)
  .map((offset) => ({ kind: "other", offset }));

/** All characters that HTTP allows in a header: visible characters, bytes beyond ASCII, spaces and tabs between. */
const anything: fc.Arbitrary<HeaderValue> = fc
  .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }), fc.constant(9)), { maxLength: 40 })
  .map((codes) => text(String.fromCharCode(...codes)));
const long = fc.constantFrom(255, 256, 1_000, 3_000).map((length) => text("k".repeat(length)));

const none = fc.constant<HeaderValue[]>([]);
const once = right.map((value) => [value]);

/** Mostly the values `usual`; sometimes one of `odd`, sometimes none or two. */
const values = (usual: fc.Arbitrary<HeaderValue[]>, ...odd: fc.Arbitrary<HeaderValue>[]): fc.Arbitrary<HeaderValue[]> => {
  const one = fc.oneof(...odd, anything, texts("", " ", ",", "\t"));
  return fc.oneof(
    { weight: 24, arbitrary: usual },
    { weight: 3, arbitrary: one.map((value) => [value]) },
    { weight: 1, arbitrary: none },
    { weight: 1, arbitrary: fc.array(fc.oneof(right, one), { minLength: 2, maxLength: 2 }) },
  );
};

/** A request's headers, mostly right. */
export const serviceHeaders: fc.Arbitrary<ServiceHeaders> = fc.record({
  siteKey: values(once, changed, other, long, right),
  signature: values(once, changed, other, long, right, texts("sha256=", "sha1=0", `sha256=${"0".repeat(64)}`)),
  timestamp: values(
    fc.oneof(once, none),
    changed,
    other,
    right,
    texts("12.5", "-5", "0x10", "1e9", "9".repeat(20), "Infinity", "0", "now"),
  ),
  idempotencyKey: values(fc.oneof(none, once), long, right),
  mode: values(
    fc.oneof(
      none,
      texts("live", "test").map((value) => [value]),
    ),
    texts("TEST", "Live", " test ", "tset", "test, live", "t\xe9st", "0"),
  ),
  contentType: values(
    once,
    texts("application/json; charset=utf-8", "APPLICATION/JSON", "application/json;", "application/json ;x=y", "text/json", "text/plain"),
    texts(
      "application/json5",
      "application/json, text/html",
      "multipart/form-data; boundary=x",
      "application/x-www-form-urlencoded",
      "json",
    ),
  ),
  contentEncoding: values(none, texts("identity", "IDENTITY", "gzip", "br", "identity, gzip", "deflate")),
});

/** Headers without anything odd. */
export const plainHeaders: ServiceHeaders = {
  siteKey: [{ kind: "right" }],
  signature: [{ kind: "right" }],
  timestamp: [{ kind: "right" }],
  idempotencyKey: [],
  mode: [],
  contentType: [{ kind: "right" }],
  contentEncoding: [],
};

/** A request that is well-formed until `edits` are made in its bytes. */
export interface PlainRequest {
  kind: "event" | "dry run" | "foreign event" | "unsigned event" | "health" | "preflight" | "unknown path" | "wrong method" | "handshake";
  framing: "length" | "chunked" | "chunks with extensions" | "chunks with a trailer" | "asks first";
  /** Bytes of ballast in the body. */
  ballast: number;
}

/** One change in the bytes: at that share of their length, or right behind the next line's end, `insert` replaces `remove` bytes. */
export interface Edit {
  at: number;
  atLine: boolean;
  remove: number;
  insert: string;
}

export interface HttpBytes {
  requests: PlainRequest[];
  edits: Edit[];
  /** The places where the bytes are cut into packets, as shares of their length. */
  cuts: number[];
  leave: "wait" | "end" | "reset";
}

/** Bytes that confuse programs that read HTTP loosely: line ends, framing, folding, versions, numbers. */
const confusions = [...'\r|\n| |\t|:|,|;|\0|/|?|%|=|"'.split("|"), ...data<string[]>("http", "confusions")];

const framing = fc.oneof(
  { weight: 5, arbitrary: fc.constant("length" as const) },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      "chunked" as const,
      "chunks with extensions" as const,
      "chunks with a trailer" as const,
      "asks first" as const,
    ),
  },
);
const kind = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("event" as const, "foreign event" as const) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "dry run" as const,
      "unsigned event" as const,
      "health" as const,
      "preflight" as const,
      "unknown path" as const,
      "wrong method" as const,
      "handshake" as const,
    ),
  },
);
const ballast = fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.integer({ min: 1, max: 20_000 }) });
const share = fc.integer({ min: 0, max: 1_000 }).map((thousandths) => thousandths / 1_000);

const insert = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...confusions) },
  { weight: 1, arbitrary: fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 12 }).map((codes) => String.fromCharCode(...codes)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(200, 8_000, 20_000), fc.constantFrom("a", "X-A: b\r\n", "\r\n", "0"))
      .map(([times, text]) => text.repeat(times)),
  },
);
const removed = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }) });
const edit: fc.Arbitrary<Edit> = fc.record({ at: share, atLine: fc.boolean(), remove: removed, insert });

/** The bytes of a client on one connection, their packets, and the client's end. A third is not edited at all. */
export const httpBytes: fc.Arbitrary<HttpBytes> = fc.record({
  requests: fc.array(fc.record({ kind, framing, ballast }), { minLength: 1, maxLength: 4 }),
  edits: fc.oneof(
    { weight: 1, arbitrary: fc.constant<Edit[]>([]) },
    { weight: 2, arbitrary: fc.array(edit, { minLength: 1, maxLength: 3 }) },
  ),
  cuts: fc.array(share, { maxLength: 5 }),
  leave: fc.oneof(
    { weight: 16, arbitrary: fc.constant("wait" as const) },
    { weight: 3, arbitrary: fc.constant("end" as const) },
    { weight: 1, arbitrary: fc.constant("reset" as const) },
  ),
});

/** The bytes with the edits in them, cut into packets. */
export function toPackets(bytes: Buffer, { edits, cuts }: HttpBytes): Buffer[] {
  let edited = bytes;
  for (const each of edits) {
    const place = Math.floor(each.at * edited.length);
    const line = edited.indexOf("\r\n", place);
    const from = each.atLine && line >= 0 ? line + 2 : place;
    edited = Buffer.concat([edited.subarray(0, from), Buffer.from(each.insert, "latin1"), edited.subarray(from + each.remove)]);
  }
  const places = [0, ...cuts.map((cut) => Math.floor(cut * edited.length)).toSorted((a, b) => a - b), edited.length];
  return places
    .slice(1)
    .map((end, i) => edited.subarray(places[i], end))
    .filter((packet) => packet.length > 0);
}
