import fc from "fast-check";

/** A request that is well-formed until `edits` are made in its bytes. */
export interface PlainRequest {
  kind: "event" | "dry run" | "foreign event" | "unsigned event" | "health" | "preflight" | "unknown path" | "wrong method" | "handshake";
  framing: "length" | "chunked" | "chunks with extensions" | "chunks with a trailer" | "asks first";
  /** Bytes of ballast in the body. */
  ballast: number;
}

/** One change in the bytes: at that share of their length, or right behind a line's end next to it, `remove` bytes give way to `insert`. */
export interface Edit {
  at: number;
  atLine: boolean;
  remove: number;
  insert: string;
}

export interface HttpBytes {
  requests: PlainRequest[];
  edits: Edit[];
  /** Where the bytes are cut into packets, as shares of their length. */
  cuts: number[];
  leave: "wait" | "end" | "reset";
}

/** What confuses those who read HTTP by eye: line ends, framing, folding, versions, numbers. */
const confusions = [
  ...'\r|\n| |\t|:|,|;|\0|/|?|%|=|"'.split("|"),
  "\r\n",
  "\n\n",
  "\r\n\r\n",
  "\r\n ",
  "\n\t",
  "\x0b",
  "\x7f",
  "\x80",
  "\xff\xfe",
  "0\r\n\r\n",
  "-1",
  "+5",
  "0x10",
  "99999999999999999999",
  "1e3",
  "HTTP/1.0",
  "HTTP/1.1",
  "HTTP/2.0",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "Content-Length: 0\r\n",
  "Content-Length: 5\r\n",
  "Content-Length: 5, 5\r\n",
  "content-length : 5\r\n",
  "Content-Length:\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: xchunked\r\n",
  "Transfer-Encoding: chunked, identity\r\n",
  "Transfer-Encoding:\x0bchunked\r\n",
  "Transfer-Encoding : chunked\r\n",
  "Transfer-Encoding: identity\r\n",
  "TRANSFER-ENCODING: CHUNKED\r\n",
  "Host: other\r\n",
  "Host:\r\n",
  "Connection: close\r\n",
  "Connection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n",
  "Connection: Content-Length, Transfer-Encoding\r\n",
  "Expect: 100-continue\r\n",
  "Expect: a miracle\r\n",
  "Trailer: X-Service-Site-Key\r\n",
  "X-Forwarded-For: 127.0.0.1\r\n",
  "X-HTTP-Method-Override: DELETE\r\n",
  "X-Service-Mode: test\r\n",
  "X-Service-Site-Key: sk_live_x\r\n",
  "GET /api/public/health HTTP/1.1\r\nHost: gateway\r\n\r\n",
  "GET http://gateway/api/public/health HTTP/1.1\r\nHost: gateway\r\n\r\n",
  "CONNECT gateway:443 HTTP/1.1\r\nHost: gateway\r\n\r\n",
  "\x16\x03\x01\x02\x00\x01",
];

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

/** What a client may send on one connection, how it comes in packets, and how the client leaves. A third is not edited at all. */
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
