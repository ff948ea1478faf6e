import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { verifyBody } from "shared/secrets/signature";
import { afterAll, beforeAll, expect, test } from "vitest";
import { demoPayload } from "./demo-shop.ts";
import { pasteBlock } from "./paste-block.ts";

const shop = { apiKey: "sk_live_it's", webhookSecret: "whs_a'b $HOME `id` \\ \"c" };
const seen: { url: string | undefined; headers: NodeJS.Dict<string | string[]>; body: Buffer }[] = [];
const server = createServer((request, response) => {
  void buffer(request).then((body) => {
    seen.push({ url: request.url, headers: request.headers, body });
    response.end('{"ok":true}');
  });
});

beforeAll(async () => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => void server.close());

const block = (): string => {
  const address = server.address();
  return pasteBlock(`http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`, shop);
};

test.each(["bash", "sh"])("pasted into %s it posts the signed event and prints the answer and nothing else", async (shell) => {
  seen.length = 0;
  const { stdout, stderr } = await promisify(execFile)(shell, ["-c", block()]);
  expect([stdout, stderr]).toEqual(['{"ok":true}\n', ""]);
  const [request] = seen;
  expect(request?.url).toBe("/api/public/ingest/generic/order.created");
  expect(JSON.parse(request?.body.toString() ?? "")).toEqual(demoPayload);
  expect(request?.headers).toMatchObject({ "content-type": "application/json", "x-service-site-key": shop.apiKey });
  expect(verifyBody([shop.webhookSecret], request?.body ?? Buffer.alloc(0), String(request?.headers["x-service-signature"]))).toBe(true);
  expect(Math.abs(Number(request?.headers["x-service-timestamp"]) - Date.now() / 1000)).toBeLessThan(60);
});

test("the block has no blank line, no prompt and one curl", () => {
  const lines = block().split("\n");
  expect(lines.filter((line) => line.trim() === "" || /^\s*[$#>]/.test(line))).toEqual([]);
  expect(block().split("curl ")).toHaveLength(2);
});

test("the block goes through a pipe in one piece", () => {
  expect(Buffer.byteLength(block())).toBeLessThan(3_000);
});
