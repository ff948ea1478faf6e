import { once } from "node:events";
import type { IncomingMessage, RequestListener } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { clearRequests } from "./clear-requests.ts";
import { listen } from "./http-server.ts";

const behind = "GET /behind HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

/** What reaches the handler of bytes that come at once, and the statuses that are answered. */
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
])("refuses a request with %s, and reads nothing behind it", async (_, bytes) => {
  expect(await send(`${bytes}${behind}`)).toEqual({ reached: [], statuses: ["400"] });
});

it("answers a request that wants to upgrade, and reads nothing behind it", async () => {
  const bytes = "GET /a HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
  expect(await send(`${bytes}${behind}`)).toEqual({ reached: ["/a"], statuses: ["200"] });
});
