import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { findStandardSigner } from "shared/secrets/signature";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { openGateway, openShop, type Shop } from "../../../test/support/gateway.ts";
import { shared } from "../../../test/support/shared.ts";

const run = promisify(execFile);

const database = shared(async () => testDatabase());
const gateway = shared(async () => openGateway(database.url, "http://127.0.0.1:9"));
let shop: Shop;
let folder: string;
let bundle: Response;
let text: string;
beforeAll(async () => {
  shop = await openShop(database.sql, { event: "another.event" });
  folder = await mkdtemp(join(tmpdir(), "docs-"));
  bundle = await fetch(`${gateway.url}/api/public/docs/bundle`);
  text = await bundle.text();
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("the documentation", () => {
  it("comes as one Markdown attachment", () => {
    expect(bundle.status).toBe(200);
    expect(bundle.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(bundle.headers.get("content-disposition")).toMatch(/^attachment; filename="[^"]+\.md"$/);
    expect(bundle.headers.get("access-control-allow-origin")).toBe("*");
    expect(text).toMatch(/^# /);
  });

  const programs: Record<string, { program: string; file: string }> = {
    sh: { program: "bash", file: "sample.sh" },
    js: { program: process.execPath, file: "sample.mjs" },
    python: { program: "python3", file: "sample.py" },
    php: { program: "php", file: "sample.php" },
    ruby: { program: "ruby", file: "sample.rb" },
    // What is compiled first takes long.
    ...(process.env["TESTS"] === "long" && {
      go: { program: "go", file: "sample.go" },
      java: { program: "java", file: "sample.java" },
      csharp: { program: "mcs", file: "sample.cs" },
    }),
  };

  it.for(Object.entries(programs))("has %s samples that work as they stand", async ([language, { program, file }], { skip }) => {
    const samples = samplesIn(language);
    expect(samples.length).toBeGreaterThan(0);
    if (!(await exists(program))) skip(`${program} is not installed`);
    for (const sample of samples) {
      const { stdout } = await runSample(program, file, sample, gateway.url, shop);
      expect(JSON.parse(stdout)).toMatchObject({ ok: true, event: "order.created", chat: "no_bindings" });
    }
  });

  it.concurrent.for(Object.entries(programs))(
    "has %s samples that post again until the event is taken, once, each time with the time of then",
    async ([language, { program, file }], { skip }) => {
      if (!(await exists(program))) skip(`${program} is not installed`);
      await Promise.all(
        samplesIn(language).map(async (sample, n) => {
          const sender = await openShop(database.sql, { event: "another.event" });
          await using front = await openFront([503, 429, "pass"]);
          const { stdout } = await runSample(program, `again-${n}-${file}`, sample, front.url, sender);
          expect(JSON.parse(stdout)).toMatchObject({ ok: true, event: "order.created", chat: "no_bindings" });
          expect(front.seen).toHaveLength(3);
          expect(new Set(front.seen.map(({ body }) => body.toString("hex"))).size).toBe(1);
          expect(new Set(front.seen.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
          const times = front.seen.map(({ headers }) => Number(headers["webhook-timestamp"]));
          expect(times[1]).toBeGreaterThan(times[0] ?? Infinity);
          expect(times[2]).toBeGreaterThan(times[1] ?? Infinity);
          for (const { headers, body } of front.seen) expect(findStandardSigner([sender], body, standardSignature(headers))).toBe(sender);
          const events = await database.sql`select idempotency_key from event where site_id = ${sender.siteId}`;
          expect([...events]).toEqual([{ idempotency_key: front.seen[0]?.headers["webhook-id"] }]);
        }),
      );
    },
  );

  it.concurrent.for(Object.entries(programs))(
    "has %s samples that post again after a cut connection, and not after a refusal",
    async ([language, { program, file }], { skip }) => {
      if (!(await exists(program))) skip(`${program} is not installed`);
      await Promise.all(
        samplesIn(language).map(async (sample, n) => {
          await using front = await openFront(["cut", 400]);
          const { stdout = "" } = await runSample(program, `cut-${n}-${file}`, sample, front.url, shop).catch(
            (error: { stdout?: string }) => error,
          );
          expect(stdout).toContain("refused");
          expect(front.seen).toHaveLength(2);
        }),
      );
    },
  );
});

/** The samples that post; those that receive are tested with deliveries. */
const samplesIn = (language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))]
    .map(([, sample]) => sample ?? "")
    .filter((sample) => !sample.includes("OUTBOUND_SECRET"));

async function runSample(program: string, file: string, sample: string, url: string, { key, secret }: Shop): Promise<{ stdout: string }> {
  const path = join(folder, file);
  await writeFile(path, sample);
  const env = { ...process.env, BASE_URL: url, SITE_KEY: key, WEBHOOK_SECRET: secret };
  if (program !== "mcs") return await run(program, program === "go" ? ["run", path] : [path], { env, timeout: 60_000 });
  await run("mcs", ["-langversion:latest", "-r:System.Net.Http.dll", `-out:${path}.exe`, path]);
  return await run("mono", [`${path}.exe`], { env, timeout: 60_000 });
}

const standardSignature = (headers: IncomingHttpHeaders) => ({
  id: String(headers["webhook-id"]),
  timestamp: String(headers["webhook-timestamp"]),
  signature: String(headers["webhook-signature"]),
});

interface Front extends AsyncDisposable {
  url: string;
  seen: { headers: IncomingHttpHeaders; body: Buffer }[];
}

/** Stands before the gateway and takes the turns one after the other: refuses with a status, cuts the connection, or passes on. The last turn repeats. */
async function openFront(turns: (number | "cut" | "pass")[]): Promise<Front> {
  const seen: Front["seen"] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const turn = turns[Math.min(seen.push({ headers: request.headers, body }), turns.length) - 1];
      if (turn === "cut") return void request.socket.destroy();
      if (turn !== "pass") return void response.writeHead(turn ?? 500).end('{"error":"refused"}');
      const names = Object.keys(request.headers).filter((name) => /^(content-type|x-service-.*|webhook-.*)$/.test(name));
      const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name])]));
      const answer = await fetch(`${gateway.url}${request.url}`, { method: "POST", headers, body: new Uint8Array(body) });
      response.writeHead(answer.status).end(await answer.text());
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** PHP with curl and Python are not on every machine; Node and a shell are. */
const exists = async (program: string): Promise<boolean> =>
  run(
    program,
    program === "php" ? ["-r", "exit(function_exists('curl_init') ? 0 : 1);"] : [program === "go" ? "version" : "--version"],
  ).then(
    () => true,
    () => false,
  );
