import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorOf, openSandbox, type OpenSandbox } from "../../../test/support/sandbox.ts";

let sandbox: OpenSandbox;

beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(async () => sandbox[Symbol.asyncDispose]());

describe("an unknown call", () => {
  test.each([
    ["GET", "/", 2500],
    ["GET", "/v25.0", 2500],
    ["GET", "/v25.0?fields=id", 2500],
    ["GET", "/a/b/c/d", 2500],
    ["GET", "/%zz", 2500],
    ["PUT", "/123/messages", 100],
  ])("%s %s", async (method, path, code) => {
    const answer = await sandbox.call(method, path);
    expect([answer.status, errorOf(answer)["code"]]).toEqual([400, code]);
  });

  test("of the sandbox's own", async () => {
    expect((await sandbox.call("GET", "/_sandbox/nothing", undefined, null)).status).toBe(404);
    expect((await sandbox.call("PUT", "/_sandbox/messages", undefined, null)).status).toBe(405);
  });
});

test("a path is the same in every version, with a slash at its end and without", async () => {
  const { phoneNumberId } = sandbox.account;
  const paths = ["", "/v1.0", "/v25.0"].flatMap((version) => [`${version}/${phoneNumberId}`, `${version}/${phoneNumberId}/`]);
  const answers = await Promise.all(paths.map((path) => sandbox.call("GET", path)));
  for (const answer of answers) expect(answer.json).toMatchObject({ id: phoneNumberId });
});

test("a body that is too large is refused in words", async () => {
  const answer = await sandbox.call("POST", `/${sandbox.account.phoneNumberId}/messages`, Buffer.alloc(3 * 1024 * 1024, 32));
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("larger than 1048576 bytes")]);
});

describe("on a connection", () => {
  const behind = "GET /_sandbox/messages HTTP/1.1\r\nHost: sandbox\r\nConnection: close\r\n\r\n";

  /** Writes the bytes at once and returns the whole answer. */
  async function talk(bytes: string): Promise<string> {
    const { hostname, port } = new URL(sandbox.url);
    const socket = connect(Number(port), hostname);
    socket.end(bytes, "latin1");
    return text(socket);
  }

  test("a request without a clear end is refused, and nothing behind it is read", async () => {
    const answer = await talk(`POST /1/messages HTTP/1.1\r\nHost: sandbox\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${behind}`);
    expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual(["HTTP/1.1 400"]);
    expect(answer).toMatch(/^Connection: close\r$/m);
    expect(answer).toContain('"code":100');
  });

  test.each(["*", "http://[", "http://sandbox/_sandbox/messages"])("the target %s is an unknown path", async (target) => {
    const answer = await talk(`OPTIONS ${target} HTTP/1.1\r\nHost: sandbox\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
    expect(answer).toContain('"code":2500');
  });
});
