import type { ServerResponse } from "node:http";
import { request } from "undici";
import { expect, test } from "vitest";
import { waitFor } from "../../../test/support/wait-for.ts";
import { dialable, listen } from "./http-server.ts";

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

test("an address that is not this machine's is one line that names HOST", async () => {
  await expect(listen(() => undefined, { ...options, host: "192.0.2.1" })).rejects.toMatchObject({
    name: "ConfigurationError",
    message: expect.stringMatching(/^HOST 192\.0\.2\.1 is no address of this machine/),
  });
});

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
  expect(["0.0.0.0", "::", "::1", "127.0.0.1", "example.com"].map(dialable)).toEqual([
    "127.0.0.1",
    "[::1]",
    "[::1]",
    "127.0.0.1",
    "example.com",
  ]);
});
