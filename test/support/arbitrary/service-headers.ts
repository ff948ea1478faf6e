import fc from "fast-check";

/** What stands in one header, of what only the run knows: keys, signatures and the time. */
export type HeaderValue =
  | { kind: "right" }
  /** The right value, changed. */
  | { kind: "changed"; change: Change }
  /** Another site's, or of another time: so many seconds from now. */
  | { kind: "other"; offset: number }
  | { kind: "text"; text: string };

const changes = ["upper", "lower", "cut", "longer", "without prefix", "padded", "quoted"] as const;
export type Change = (typeof changes)[number];

/** The values of each header; several stand for a header that comes several times, none for one that is left out. */
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

/** Whatever HTTP lets stand in a header: visible characters, bytes beyond ASCII, spaces and tabs between. */
const anything: fc.Arbitrary<HeaderValue> = fc
  .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }), fc.constant(9)), { maxLength: 40 })
  .map((codes) => text(String.fromCharCode(...codes)));
const long = fc.constantFrom(255, 256, 1_000, 3_000).map((length) => text("k".repeat(length)));

const none = fc.constant<HeaderValue[]>([]);
const once = right.map((value) => [value]);

/** Mostly `usual`; sometimes one of `odd`, sometimes none or two. */
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

/** Nothing odd. */
export const plainHeaders: ServiceHeaders = {
  siteKey: [{ kind: "right" }],
  signature: [{ kind: "right" }],
  timestamp: [{ kind: "right" }],
  idempotencyKey: [],
  mode: [],
  contentType: [{ kind: "right" }],
  contentEncoding: [],
};
