import fc from "fast-check";

const characters = "abzAZ09._-~!$&'()*+,;=:@[]{}|\\^`\"<>";
const character = fc.constantFrom(...characters.split(""));

/** Percent-encodings: of what may stand plain, of what may not, of no UTF-8, overlong, cut short. */
const encoded = fc.constantFrom(
  "%2e",
  "%2E%2e",
  "%2F",
  "%5C",
  "%00",
  "%20",
  "%25",
  "%C3%A9",
  "%F0%9F%98%80",
  "%41",
  "%E2%84%AA",
  "%ff",
  "%C0%AE",
  "%ED%A0%80",
  "%",
  "%2",
  "%zz",
  "%u0041",
);

const likely = fc.constantFrom(
  "generic",
  "shopify",
  "order.created",
  "ORDER.Created",
  "test",
  "Test",
  "order..created",
  ".",
  "..",
  "order.",
  "a_b-c.d",
  "constructor",
  "__proto__",
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
  "/",
  "//",
  "/api/public",
  "/api/public/ingest",
  "/api/public/ingest/",
  "/api/public/ingest//order.created",
  "/api/public/ingest/generic/",
  "//api/public/ingest/generic/order.created",
  "/api//public/ingest/generic/order.created",
  "/./api/public/ingest/generic/order.created",
  "/x/../api/public/ingest/generic/order.created",
  "/api/public/ingest/../health",
  "/API/public/ingest/generic/order.created",
  "/api/public/Ingest/generic/order.created",
  "/api/%70ublic/ingest/generic/order.created",
  "/api/public/ingest%2Fgeneric/order.created",
  "/api/public/ingest/generic/order.created/",
  "/api/public/ingest/generic/order.created/more",
  "/api/public/health",
  "/api/public/ready",
  "/api/public/docs/bundle",
  "/api/public/docs/../docs/bundle",
  "/trpc/auth.me",
  "/_sandbox/messages",
);

/** A request's target: the ingest path with odd values, or something near it. Printable ASCII without spaces. */
export const ingestTarget: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constant("/api/public/ingest/"), segment, fc.constant("/"), segment, query).map(join) },
  { weight: 1, arbitrary: fc.tuple(strange, query).map(join) },
  { weight: 1, arbitrary: fc.array(segment, { maxLength: 8 }).map((parts) => `/${parts.join("/")}`) },
);
