import { signBody } from "shared/secrets/signature";
import { data } from "../../support/data.ts";
import type { Shop } from "../../support/gateway.ts";

/** The bytes before another client's request on the same connection: `own` is in order, `inner` is hidden in the bytes behind it. */
export type Shape = (own: SignedEvent, inner: SignedEvent) => string;

const hex = (text: string): string => text.length.toString(16);
const chunked = (text: string): string => `${hex(text)}\r\n${text}\r\n0\r\n\r\n`;

/** The body is framed by these headers, and `inner` stands where one reader of them would see a second request. */
const framed =
  (headers: string, body: (own: string, inner: string) => string): Shape =>
  (own, inner) =>
    `${own.head}${headers.replaceAll("$LENGTH", String(own.body.length))}\r\n${body(own.body, inner.whole)}`;

const lengthCounts = (own: string, inner: string): string => own + inner;
const chunksCount = (own: string, inner: string): string => chunked(own) + inner;

const lengths = ["Content-Length: $LENGTH\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: $LENGTH\r\n"];
const twice = "Content-Length: $LENGTH\r\nContent-Length: ";
const oddLengths = data<string[]>("test-faults-harness-smuggling", "odd lengths");
const oddEncodings = data<string[]>("test-faults-harness-smuggling", "odd encodings");
const oddNames = [
  "Transfer-Encoding ",
  " Transfer-Encoding",
  "Transfer\x00Encoding",
  "Transfer-Encoding\t",
  "X-A: b\r\n\tTransfer-Encoding",
  "X-A: b\rTransfer-Encoding",
];
const oddSizes = ["0x$SIZE", "+$SIZE", "-$SIZE", "$SIZE ", " $SIZE", "fffffffffffffffff", "", "$SIZE\x00", "zz", "$SIZE\n"];

/** Requests whose end is ambiguous: they are refused, and nothing behind them is read. */
export const ambiguous: [string, Shape][] = [
  ...lengths.flatMap((headers, i): [string, Shape][] => [
    [`a length and chunks, order ${i + 1}, ends by the length`, framed(headers, lengthCounts)],
    [`a length and chunks, order ${i + 1}, ends by the chunks`, framed(headers, chunksCount)],
  ]),
  ["two lengths", framed(`${twice}0\r\n`, lengthCounts)],
  ["two lengths, the smaller first", framed("Content-Length: 0\r\nContent-Length: $LENGTH\r\n", lengthCounts)],
  ["two equal lengths", framed(`${twice}$LENGTH\r\n`, lengthCounts)],
  ...oddLengths.map((value): [string, Shape] => [
    `the length ${JSON.stringify(value)}`,
    framed(`Content-Length: ${value}\r\n`, lengthCounts),
  ]),
  ...oddEncodings.map((value): [string, Shape] => [
    `the encoding ${JSON.stringify(value)}`,
    framed(`Transfer-Encoding: ${value}\r\n`, chunksCount),
  ]),
  ...oddEncodings.map((value): [string, Shape] => [
    `the encoding ${JSON.stringify(value)} beside a length`,
    framed(`Content-Length: $LENGTH\r\nTransfer-Encoding: ${value}\r\n`, lengthCounts),
  ]),
  ...oddNames.map((name): [string, Shape] => [
    `an encoding under the name ${JSON.stringify(name)}`,
    framed(`${name}: chunked\r\n`, chunksCount),
  ]),
  ...oddNames.map((name): [string, Shape] => [
    `an encoding under the name ${JSON.stringify(name)} beside a length`,
    framed(`Content-Length: $LENGTH\r\n${name}: chunked\r\n`, lengthCounts),
  ]),
  ["two encodings", framed("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", chunksCount)],
  ...oddSizes.map((size): [string, Shape] => [
    `the chunk size ${JSON.stringify(size)}`,
    framed("Transfer-Encoding: chunked\r\n", (own, inner) => `${size.replace("$SIZE", hex(own))}\r\n${own}\r\n0\r\n\r\n${inner}`),
  ]),
  ["a chunk longer than its size", framed("Transfer-Encoding: chunked\r\n", (own, inner) => `${hex(own)}\r\n${own}x\r\n0\r\n\r\n${inner}`)],
  ["a chunk without an end", framed("Transfer-Encoding: chunked\r\n", (own, inner) => `${hex(own)}\r\n${own}0\r\n\r\n${inner}`)],
  ["chunks with bare line feeds", framed("Transfer-Encoding: chunked\r\n", (own, inner) => `${hex(own)}\n${own}\n0\n\n${inner}`)],
  [
    "a chunk extension that ends in a line feed",
    framed("Transfer-Encoding: chunked\r\n", (own, inner) => `${hex(own)};a\n${own}\r\n0\r\n\r\n${inner}`),
  ],
  [
    "a length in the trailer",
    framed("Transfer-Encoding: chunked\r\n", (own, inner) => `${hex(own)}\r\n${own}\r\n0\r\nContent-Length: 5\r\n\r\n${inner}`),
  ],
  ["headers with bare line feeds", (own, inner) => own.whole.replaceAll("\r\n", "\n") + inner.whole],
  ["headers with bare carriage returns", (own, inner) => own.whole.replaceAll("\r\n", "\r") + inner.whole],
  ["a folded header", (own, inner) => own.whole.replace("Host: gateway", "Host: gateway\r\nX-A: b\r\n c") + inner.whole],
  ["a header without a colon", (own, inner) => own.whole.replace("Host: gateway", "Host: gateway\r\nX-A") + inner.whole],
  ["a NUL in a header", (own, inner) => own.whole.replace("Host: gateway", "Host: gateway\r\nX-A: \0") + inner.whole],
  [
    "chunks in HTTP/1.0",
    (own, inner) =>
      `${own.head.replace("HTTP/1.1", "HTTP/1.0")}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(own.body)}${inner.whole}`,
  ],
  ["HTTP/2 without asking", (own, inner) => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${inner.whole}${own.whole}`],
  ["HTTP/0.9", (own, inner) => `GET /api/public/health\r\n${inner.whole}${own.whole}`],
];

/** Requests with a clear end: `own` is taken, and `inner` was only text. */
export const clear: [string, Shape][] = [
  ["a body that comes before it is asked for", framed("Expect: 100-continue\r\nContent-Length: $LENGTH\r\n", (own) => own)],
  ["chunk extensions", framed("Transfer-Encoding: chunked\r\n", (own) => `${hex(own)};a=b;c="d"\r\n${own}\r\n0;e\r\n\r\n`)],
  ["another spelling of chunked", framed("transfer-encoding: Chunked\r\n", chunked)],
  ["leading zeros in a chunk's size", framed("Transfer-Encoding: chunked\r\n", (own) => `000${hex(own)}\r\n${own}\r\n000\r\n\r\n`)],
  [
    "somebody's headers in the trailer",
    (own, inner) =>
      `${own.head}Transfer-Encoding: chunked\r\nTrailer: X-Service-Site-Key\r\n\r\n${chunked(own.body).slice(0, -2)}${inner.head.split("\r\n").slice(3, 6).join("\r\n")}\r\n\r\n`,
  ],
  [
    "a connection's own headers named Content-Length",
    framed("Connection: Content-Length, X-Service-Site-Key\r\nContent-Length: $LENGTH\r\n", (own) => own),
  ],
  ["another host in the target", (own) => own.whole.replace("POST /", "POST http://elsewhere/")],
  ["an empty line before the request", (own) => `\r\n${own.whole}`],
];

/** Requests that are refused for their content, with `inner` as their body, or behind them on a connection that is closed. */
export const refused: [string, number, Shape][] = [
  ["an encoding that nobody undoes", 400, framed("Transfer-Encoding: gzip, chunked\r\n", chunksCount)],
  [
    "an unknown path",
    404,
    (own, inner) => `${own.head.replace("order.created", "order.created/x")}Content-Length: ${inner.whole.length}\r\n\r\n${inner.whole}`,
  ],
  ["a wrong method", 405, (own, inner) => `${own.head.replace("POST", "PUT")}Content-Length: ${inner.whole.length}\r\n\r\n${inner.whole}`],
  [
    "an unknown key",
    401,
    (own, inner) => `${own.head.replace("sk_live_", "sk_dead_")}Content-Length: ${inner.whole.length}\r\n\r\n${inner.whole}`,
  ],
  [
    "a body that is too large",
    413,
    (own, inner) => `${own.head}Content-Length: 1100000\r\n\r\n${inner.whole}${" ".repeat(1_100_000 - inner.whole.length)}`,
  ],
  ["a tunnel", 405, (own, inner) => `CONNECT gateway:443 HTTP/1.1\r\nHost: gateway\r\n\r\n${inner.whole}${own.whole}`],
  [
    "an expectation that nobody meets",
    417,
    (own, inner) => `${own.head}Expect: a miracle\r\nContent-Length: ${inner.whole.length}\r\n\r\n${inner.whole}`,
  ],
  ["a body that is somebody's request", 401, (own, inner) => `${own.head}Content-Length: ${inner.whole.length}\r\n\r\n${inner.whole}`],
];

/** A signed event in parts, so that a test can frame its body as it likes. */
interface SignedEvent {
  /** Request line and headers without any that frame the body, each with its line's end. */
  head: string;
  body: string;
  /** The whole request as every client sends it. */
  whole: string;
}

/** A signed event, marked by `key`: that is its idempotency key, and the order's number. */
export function signedEvent(shop: Shop, key: string): SignedEvent {
  const body = JSON.stringify({ customer: { first_name: "Ada", phone_e164: "+15551230001" }, order: { id: key } });
  const lines = [
    "POST /api/public/ingest/generic/order.created HTTP/1.1",
    "Host: gateway",
    "Content-Type: application/json",
    `X-Service-Site-Key: ${shop.key}`,
    `X-Service-Signature: ${signBody(shop.secret, Buffer.from(body))}`,
    `X-Service-Idempotency-Key: ${key}`,
  ];
  const head = lines.map((line) => `${line}\r\n`).join("");
  return { head, body, whole: `${head}Content-Length: ${body.length}\r\n\r\n${body}` };
}
