import { once } from "node:events";
import type { ServerResponse, IncomingMessage, RequestListener } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { request } from "undici";
import { expect, test, it, describe } from "vitest";
import { data } from "../../../test/support/data.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { dialable, listen, clearRequests } from "./http-server.ts";

describe("http server", () => {
  const options = { host: "127.0.0.1", port: 0, portVariable: "GATEWAY_PORT" };

  test("listens on a free port, answers, and tells its address", async () => {
    await using http = await listen((_request, response) => void response.end("hello"), options);
    expect(http.url).toBe(`http://127.0.0.1:${http.port}`);
    expect(await (await request(http.url)).body.text()).toBe("hello");
  });

  test("a port that is taken is one line that names the variable", async () => {
    await using first = await listen(() => undefined, options);
    await expect(listen(() => undefined, { ...options, port: first.port })).rejects.toMatchObject({
      name: "ConfigurationError",
      message: `GATEWAY_PORT ${first.port} is taken on 127.0.0.1: stop the program that uses it or set GATEWAY_PORT to another port`,
    });
  });

  test.each([undefined, "METRICS_HOST"])(
    "an address that is not this machine's is one line that names its variable",
    async (hostVariable) => {
      await expect(listen(() => undefined, { ...options, host: "192.0.2.1", hostVariable })).rejects.toMatchObject({
        name: "ConfigurationError",
        message: expect.stringMatching(new RegExp(`^${hostVariable ?? "HOST"} 192\\.0\\.2\\.1 is no address of this machine`)),
      });
    },
  );

  test("disposing lets a request finish, then its kept-alive connection closes", async () => {
    const responses: ServerResponse[] = [];
    const http = await listen((_request, response) => void responses.push(response), options);
    const answer = request(http.url);
    const response = await waitFor("the request", () => responses[0]);
    const closed = http[Symbol.asyncDispose]();
    response.end("done");
    expect(await (await answer).body.text()).toBe("done");
    await closed;
    await expect(request(http.url)).rejects.toThrow(/ECONNREFUSED/);
  });

  test("what listens everywhere is dialled on loopback", () => {
    expect(["0.0.0.0", "::", "::1", "127.0.0.1", "example.com"].map(dialable)).toEqual(
      data("server-http-server", "what listens everywhere is dialled on loopback"),
    );
  });
});

describe("clear requests", () => {
  const behind = "GET /behind HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

  /** Sends bytes at once; answers the requests that reach the handler, and the statuses that are answered. */
  async function send(bytes: string): Promise<{ reached: string[]; statuses: string[] }> {
    const reached: string[] = [];
    const handler: RequestListener = (req: IncomingMessage, res) => {
      reached.push(req.url ?? "");
      req.resume().once("end", () => res.end("ok"));
    };
    const refuse: RequestListener = (_req, res) => void res.writeHead(400, { Connection: "close" }).end();
    await using http = await listen(clearRequests(handler, refuse), { host: "127.0.0.1", port: 0, portVariable: "PORT" });
    const socket = connect(http.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(bytes);
    const answers = await text(socket);
    return { reached, statuses: [...answers.matchAll(/HTTP\/1\.1 (\d+)/gu)].map(([, status = ""]) => status) };
  }

  it("hands on requests that follow each other clearly", async () => {
    const body = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
    expect(await send(`${body}${behind}`)).toEqual({ reached: ["/a", "/behind"], statuses: ["200", "200"] });
  });

  it.each([
    ["chunks in HTTP/1.0", "POST /a HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["chunks in another encoding", "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"],
    ["two hosts", "GET /a HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n"],
    ["more headers than Node keeps", `GET /a HTTP/1.1\r\nHost: a\r\n${"x:\r\n".repeat(1_100)}X-Forwarded-For: 192.0.2.1\r\n\r\n`],
  ])("refuses a request with %s, and reads nothing behind it", async (_, bytes) => {
    // Newer versions of Node answer too many headers by themselves, with 431.
    expect(await send(`${bytes}${behind}`)).toEqual({ reached: [], statuses: [expect.stringMatching(/^4(00|31)$/)] });
  });

  it("answers a request that wants to upgrade, and reads nothing behind it", async () => {
    const bytes = "GET /a HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
    expect(await send(`${bytes}${behind}`)).toEqual({ reached: ["/a"], statuses: ["200"] });
  });
});
