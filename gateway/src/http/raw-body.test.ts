import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import { type Edge, type EdgeOptions, okAnswer, openEdge } from "../../../test/support/gateway.ts";
import { type RawSocket, rawSocket } from "../../../test/support/requests.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import type { RawRequest } from "../ingest/authenticate.ts";
import { RequestRefused } from "../refusal.ts";

let edge: Edge;
const open = async (options: EdgeOptions = {}): Promise<RawSocket> => {
  edge = await openEdge(options);
  return rawSocket(edge.port);
};
afterEach(async () => edge[Symbol.asyncDispose]());

const head = (headers: string[], path = "/api/public/ingest/a/b"): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers.join("\r\n")}\r\n\r\n`;
const tooLarge = { status: 413, body: '{"error":"Body too large"}' };
const cors = { "access-control-allow-origin": "*" };

describe("a body", () => {
  it("that is declared too large is refused before the spine sees the request, and read to its end", async () => {
    const client = await open({ maxBodyBytes: 10, handle: async () => Promise.reject(new RequestRefused("invalid_site_key")) });
    client.send(head(["Content-Length: 3000000"]));
    const answer = await client.answer();
    expect(answer).toMatchObject({ ...tooLarge, headers: { ...cors, connection: "close" } });
    // Nothing resets the connection while the client goes on sending.
    for (let sent = 0; sent < 3_000_000; sent += 100_000)
      await new Promise((resolve) => client.socket.write(Buffer.alloc(100_000), resolve));
    await client.closed();
    expect(client.socket.errored).toBeNull();
  });

  it("that turns out too large in chunks is refused while it comes, for every client to see", async () => {
    edge = await openEdge({ maxBodyBytes: 1_000, timeLimits: { discardIdleMs: 300 } });
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 200; i += 1) yield Buffer.alloc(50_000);
    }
    const init = { method: "POST", body: chunks(), duplex: "half" } as unknown as RequestInit;
    const response = await fetch(`${edge.url}/api/public/ingest/a/b`, init);
    expect([response.status, await response.text()]).toEqual([413, tooLarge.body]);
    expect(edge.bodies).toEqual([]);
  });

  it("that nobody wants is thrown away only within bounds", async () => {
    const client = await open({ timeLimits: { discardMs: 30, discardIdleMs: 10_000 } });
    client.send(`${head(["Content-Length: 2000"])}x`);
    expect(await client.answer()).toMatchObject(tooLarge);
    await client.closed();
  });

  it("that stops coming is waited for no longer than the gap allows", async () => {
    const client = await open({ timeLimits: { bodyIdleMs: 30 } });
    client.send(`${head(["Content-Length: 10"])}01`);
    expect(await client.answer()).toMatchObject({
      status: 408,
      body: '{"error":"Request timeout"}',
      headers: { ...cors, connection: "close" },
    });
    await client.closed();
  });

  it("that drips is waited for no longer than the whole may take", async () => {
    const client = await open({ timeLimits: { bodyIdleMs: 5_000, bodyMs: 60 } });
    client.send(head(["Content-Length: 900"]));
    const drip = setInterval(() => client.send("x"), 5);
    expect(await client.answer()).toMatchObject({ status: 408 });
    clearInterval(drip);
    await client.closed();
  });

  it.each([100, 200_000])("of %i bytes is let go of once it is read: the answer may take long", async (size) => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const readWeakly = async (request: RawRequest) => new WeakRef(await request.readBody());
    let body: WeakRef<Buffer> | undefined;
    let answerNow = (): void => undefined;
    const handle = async (request: RawRequest) => {
      body = await readWeakly(request);
      await new Promise<void>((resolve) => (answerNow = resolve));
      return okAnswer;
    };
    const client = await open({ maxBodyBytes: size, handle });
    client.send(`${head([`Content-Length: ${size}`])}${"a".repeat(size)}`);
    const read = await waitFor("the body to be read", () => body);
    await waitFor("the body to be let go of", () => {
      collect();
      return read.deref() === undefined;
    });
    answerNow();
    expect(await client.answer()).toMatchObject({ status: 200 });
  });

  it("that the client breaks off costs nothing but a line", async () => {
    let reading = false;
    const client = await open({
      handle: async (request) => {
        const body = request.readBody();
        reading = true;
        return { ...okAnswer, body: String(await body) };
      },
    });
    client.send(`${head(["Content-Length: 10"])}01`);
    await waitFor("the spine to read", () => reading);
    client.socket.resetAndDestroy();
    const line = await waitFor("the line", () => edge.lines.find(({ msg }) => msg === "request"));
    expect(line).toMatchObject({ status: 404, refusal: "client_gone", aborted: true });
    expect(edge.lines.some(({ level }) => Number(level) >= 40)).toBe(false);
  });

  it("that ends early with the sending half is a bad request", async () => {
    const client = await open();
    client.socket.end(`${head(["Content-Length: 10"])}01`);
    expect(await client.answer()).toMatchObject({ status: 400 });
  });
});

describe("a client that waits to be asked for the body", () => {
  it("is asked when it is about to be read", async () => {
    const client = await open();
    client.send(head(["Content-Length: 2", "Expect: 100-continue"]));
    expect(await client.answer()).toMatchObject({ status: 100 });
    client.send("{}");
    expect(await client.answer()).toMatchObject({ status: 200 });
  });

  it("is not asked for one that would be refused", async () => {
    const client = await open({ timeLimits: { discardIdleMs: 20 } });
    client.send(head(["Content-Length: 2000", "Expect: 100-continue"]));
    expect(await client.answer()).toMatchObject(tooLarge);
    await client.closed();
  });

  it("and expects something else is told so", async () => {
    const client = await open();
    client.send(head(["Content-Length: 0", "Expect: a miracle"]));
    expect(await client.answer()).toMatchObject({ status: 417, body: '{"error":"Expectation failed"}', headers: cors });
  });
});
