import { createServer, type LookupFunction, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { Pool } from "undici";
import { expect, test } from "vitest";
import { rawServer, type RawServer } from "../../../test/support/platform.ts";
import { gate } from "../../../test/support/wait-for.ts";
import { createDeadlines } from "../server/deadlines.ts";
import { exchange, maxAnswerBytes, type ExchangeRequest } from "./exchange.ts";

const request = {
  method: "POST",
  path: "/messages",
  headers: { "content-type": "application/json" },
  body: '{"to":"+491701234567"}',
  timeoutMs: 5_000,
  startBy: Infinity,
} satisfies ExchangeRequest;
/** A short time limit, for a server that never answers. */
const soon = { ...request, timeoutMs: 100 };
/** A time limit long enough for the request to be written on a busy machine. */
const written = { ...request, timeoutMs: 1_000 };

const answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
const whole = (text: string) => text.endsWith(request.body);

const deadlines = createDeadlines();
const exchangeOver = (pool: Pool, one: ExchangeRequest) => exchange(pool, one, deadlines);

const poolTo = (server: RawServer, options: Pool.Options = {}) =>
  new Pool(`http://127.0.0.1:${server.port}`, { connections: 1, ...options });

/** A server that calls `act` after the whole request. */
const onRequest = (act: (socket: Socket, index: number) => void) =>
  rawServer((socket, index) => {
    let got = "";
    socket.on("data", (bytes) => {
      got += bytes.toString("latin1");
      if (!whole(got)) return;
      got = "";
      act(socket, index);
    });
  });

test("a whole answer is given as it came", async () => {
  await using server = await onRequest((socket) =>
    socket.write("HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"),
  );
  await using pool = disposable(poolTo(server));
  expect(await exchangeOver(pool.it, request)).toEqual({
    kind: "answered",
    status: 503,
    headers: { "transfer-encoding": "chunked" },
    body: Buffer.from("abcde"),
  });
});

test("an answer that comes before the final one does not count", async () => {
  await using server = await onRequest((socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${answer}`));
  await using pool = disposable(poolTo(server));
  expect(await exchangeOver(pool.it, request)).toMatchObject({ kind: "answered", status: 200 });
});

test("a refused connection: nothing was sent", async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address() as { port: number };
  await new Promise((resolve) => closed.close(resolve));
  await using pool = disposable(new Pool(`http://127.0.0.1:${port}`));
  expect(await exchangeOver(pool.it, request)).toEqual({ kind: "not_sent", reason: expect.stringContaining("ECONNREFUSED") });
});

test("a name that leads nowhere: nothing was sent", async () => {
  const lookup: LookupFunction = (_, __, done) =>
    done(Object.assign(new Error("getaddrinfo ENOTFOUND platform"), { code: "ENOTFOUND" }), "");
  await using pool = disposable(new Pool("http://platform.invalid", { connect: { lookup } }));
  expect(await exchangeOver(pool.it, request)).toEqual({ kind: "not_sent", reason: "getaddrinfo ENOTFOUND platform" });
});

test.each([
  ["is reset", (server: Socket) => server.resetAndDestroy()],
  ["is closed", (server: Socket) => server.end()],
  ["gets no TLS", (server: Socket) => server.end("HTTP/1.1 400 Bad Request\r\n\r\n")],
])("a TLS handshake that %s: nothing was sent", async (_, act) => {
  await using server = await rawServer((socket) => socket.once("data", () => act(socket)));
  await using pool = disposable(new Pool(`https://127.0.0.1:${server.port}`));
  expect(await exchangeOver(pool.it, request)).toMatchObject({ kind: "not_sent" });
  expect(server.received.join("")).not.toContain("messages");
});

test("a TLS handshake that never ends: nothing was sent, nor is it later", async () => {
  await using server = await rawServer(() => undefined);
  await using pool = disposable(new Pool(`https://127.0.0.1:${server.port}`));
  expect(await exchangeOver(pool.it, soon)).toEqual({ kind: "not_sent", reason: "no answer within 0.1 s" });
});

test.each([
  ["reset", (socket: Socket) => socket.resetAndDestroy()],
  ["closed", (socket: Socket) => socket.end()],
  ["reset within the head", (socket: Socket) => socket.write("HTTP/1.1 200 OK\r\ncont", () => socket.resetAndDestroy())],
  ["closed within the body", (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"messages":')],
  ["answered with what is no HTTP", (socket: Socket) => socket.end("nonsense\r\n\r\n")],
])("a connection that is %s after the request: lost, and not sent again", async (_, act) => {
  await using server = await onRequest(act);
  await using pool = disposable(poolTo(server));
  expect(await exchangeOver(pool.it, request)).toMatchObject({ kind: "lost", reason: expect.stringMatching(/./) });
  expect(server.received.filter(whole)).toHaveLength(1);
});

test("a connection that is reset before the server has read anything is lost too: the bytes were on their way", async () => {
  await using server = await rawServer((socket) => socket.pause().once("readable", () => socket.resetAndDestroy()));
  await using pool = disposable(poolTo(server));
  expect(await exchangeOver(pool.it, request)).toMatchObject({ kind: "lost" });
});

test("no answer in time: lost, and the connection is not used again", async () => {
  await using server = await onRequest((socket, index) => index > 0 && socket.write(answer));
  await using pool = disposable(poolTo(server));
  expect(await exchangeOver(pool.it, written)).toEqual({ kind: "lost", reason: "no answer within 1 s" });
  expect(await exchangeOver(pool.it, request)).toMatchObject({ kind: "answered" });
  expect(server.received).toHaveLength(2);
});

test("the time that was waited is told to a tenth of a second", async () => {
  await using server = await onRequest(() => undefined);
  await using pool = disposable(poolTo(server));
  expect(await exchangeOver(pool.it, { ...request, timeoutMs: 1_048.681061999996 })).toEqual({
    kind: "lost",
    reason: "no answer within 1 s",
  });
});

test("an answer that stops halfway: lost when time is up", async () => {
  await using server = await onRequest((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"messages":'));
  await using pool = disposable(poolTo(server));
  expect(await exchangeOver(pool.it, written)).toMatchObject({ kind: "lost" });
});

test("no free connection in time: nothing was sent, nor is it later", async () => {
  const arrived = gate();
  const held: Socket[] = [];
  await using server = await onRequest((socket) => {
    if (held.push(socket) > 1) socket.write(answer);
    else arrived.open();
  });
  await using pool = disposable(poolTo(server));
  const first = exchangeOver(pool.it, request);
  await arrived.opened;
  expect(await exchangeOver(pool.it, soon)).toEqual({ kind: "not_sent", reason: "no answer within 0.1 s" });
  held[0]?.write(answer);
  expect(await first).toMatchObject({ kind: "answered" });
  expect(await sentAfterwards(pool.it, server)).toBe(2);
});

test("an idle connection that the server closed is replaced, and the request sent once", async () => {
  const closed = gate();
  await using server = await onRequest((socket, index) => {
    socket.write(answer);
    if (index === 0) socket.end(() => closed.open());
  });
  await using pool = disposable(poolTo(server));
  expect(await exchangeOver(pool.it, request)).toMatchObject({ kind: "answered" });
  await closed.opened;
  expect(await exchangeOver(pool.it, request)).toMatchObject({ kind: "answered" });
  expect(server.received.map(whole)).toEqual([true, true]);
});

test("after its last instant a request is not written, even though a connection is there", async () => {
  await using server = await onRequest((socket) => socket.write(answer));
  await using pool = disposable(poolTo(server));
  expect(await exchangeOver(pool.it, { ...request, startBy: performance.now() - 1 })).toEqual({
    kind: "not_sent",
    reason: "no connection in time",
  });
  expect(await sentAfterwards(pool.it, server)).toBe(1);
});

test("stopped before it was written: nothing was sent; stopped after: lost", async () => {
  const stop = new AbortController();
  await using server = await onRequest(() => stop.abort());
  await using pool = disposable(poolTo(server));
  expect(await exchangeOver(pool.it, { ...request, signal: AbortSignal.abort() })).toEqual({
    kind: "not_sent",
    reason: "the call was stopped",
  });
  expect(await exchangeOver(pool.it, { ...request, signal: stop.signal })).toEqual({ kind: "lost", reason: "the call was stopped" });
  expect(server.received.filter(whole)).toHaveLength(1);
});

test("an answer is read up to its bound", async () => {
  const body = (size: number) => `HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n${"x".repeat(size)}`;
  let size = maxAnswerBytes;
  await using server = await onRequest((socket) => socket.write(body(size++)));
  await using pool = disposable(poolTo(server));
  expect(await exchangeOver(pool.it, request)).toMatchObject({ kind: "answered" });
  expect(await exchangeOver(pool.it, request)).toEqual({
    kind: "lost",
    reason: expect.stringContaining("HTTP 200 with an answer of more than"),
  });
});

test("a closed pool and an impossible header are told, never thrown", async () => {
  const pool = new Pool("http://127.0.0.1:9");
  expect(await exchangeOver(pool, { ...request, headers: { authorization: "a\nb" } })).toMatchObject({ kind: "not_sent" });
  await pool.close();
  expect(await exchangeOver(pool, request)).toMatchObject({ kind: "not_sent" });
});

/** Counts the requests that arrived, after one more was answered: an earlier one that was written late would count. */
async function sentAfterwards(pool: Pool, server: RawServer): Promise<number> {
  expect(await exchangeOver(pool, request)).toMatchObject({ kind: "answered" });
  return server.received.join("").split("POST /messages").length - 1;
}

function disposable(pool: Pool) {
  return { it: pool, [Symbol.asyncDispose]: () => pool.destroy() };
}
