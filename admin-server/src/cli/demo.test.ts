import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { findStandardSigner } from "shared/secrets/signature";
import { afterEach, beforeEach, expect, test, afterAll, beforeAll, describe } from "vitest";
import { readStartConfig } from "./config.ts";
import { beginTryOut, demoPayload, pasteBlock } from "./demo.ts";

describe("marker", () => {
  let parent = "";
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), "tidings-try-out-"));
  });
  afterEach(async () => rm(parent, { recursive: true, force: true }));

  const dataDir = () => join(parent, "data");
  const begin = async (environment: Record<string, string> = {}) => beginTryOut(readStartConfig({ DATA_DIR: dataDir(), ...environment }));

  test("an absent or an empty folder begins a try-out, with a password of its own", async () => {
    const absent = await begin();
    expect(absent?.password).toMatch(/^[\w-]{16}$/);
    await rm(dataDir(), { recursive: true });
    await mkdir(dataDir());
    const empty = await begin();
    expect(empty?.password).toMatch(/^[\w-]{16}$/);
    expect(empty?.password).not.toBe(absent?.password);
    expect((await stat(join(dataDir(), "try-out"))).mode & 0o777).toBe(0o600);
  });

  test("one that was cut short goes on with the same password, one that was finished does not", async () => {
    const first = await begin();
    const second = await begin();
    expect(second?.password).toBe(first?.password);
    await second?.finish();
    await writeFile(join(dataDir(), "master-key"), "x");
    expect(await begin()).toBeNull();
  });

  test("a folder that holds anything, a database or a platform of one's own begin none, and leave nothing", async () => {
    await mkdir(dataDir());
    expect(await begin({ PLATFORM_API_URL: "https://graph.facebook.com" })).toBeNull();
    expect(await begin({ DATABASE_URL: "postgres://localhost/x", MASTER_KEY: Buffer.alloc(32).toString("base64") })).toBeNull();
    expect(await readdir(dataDir())).toEqual([]);
    await writeFile(join(dataDir(), "something"), "");
    expect(await begin()).toBeNull();
    expect(await readdir(dataDir())).toEqual(["something"]);
  });
});

describe("paste block", () => {
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
    const [id, timestamp, signature] = ["id", "timestamp", "signature"].map((name) => String(request?.headers[`webhook-${name}`]));
    expect(
      findStandardSigner([{ secret: shop.webhookSecret }], request?.body ?? Buffer.alloc(0), { id, timestamp, signature } as never),
    ).toBeDefined();
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
  });

  test("the block has no blank line, no prompt and one curl", () => {
    const lines = block().split("\n");
    expect(lines.filter((line) => line.trim() === "" || /^\s*[$#>]/.test(line))).toEqual([]);
    expect(block().split("curl ")).toHaveLength(2);
  });

  test("the block goes through a pipe in one piece", () => {
    expect(Buffer.byteLength(block())).toBeLessThan(3_000);
  });
});
