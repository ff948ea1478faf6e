import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text as readText } from "node:stream/consumers";
import { promisify } from "node:util";
import { readDocsBundle, readDocsSample } from "shared/docs/bundle";
import { freePort } from "shared/postgres/cluster";
import { signStandard } from "shared/secrets/signature";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../../test/support/database.ts";
import { loopback, openGateway, openShop } from "../../../test/support/gateway.ts";
import { type ScriptedPlatform, startScriptedPlatform } from "../../../test/support/platform.ts";
import { addOutboundSecret, addWebhook } from "../../../test/support/receiver.ts";
import { anEvent, postEvent } from "../../../test/support/requests.ts";
import { waitFor } from "../../../test/support/wait-for.ts";

const run = promisify(execFile);

let database: TestDatabase;
let platform: ScriptedPlatform;
let gateway: { url: string } & AsyncDisposable;
let folder: string;
beforeAll(async () => {
  database = await testDatabase();
  platform = await startScriptedPlatform();
  gateway = await openGateway(database.url, platform.url, { allowPrivate: loopback }, { dueMs: 20, firstRetryMs: 50 });
  folder = await mkdtemp(join(tmpdir(), "receivers-"));
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await platform?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** How each language's sample is run. */
const receivers: Record<string, { program: string; file: string; serve: (path: string, secret: string) => Promise<Served> }> = {
  js: { program: process.execPath, file: "receiver.mjs", serve: (path, secret) => serveProcess(process.execPath, () => [path], secret) },
  python: { program: "python3", file: "receiver.py", serve: (path, secret) => serveProcess("python3", () => [path], secret) },
  php: {
    program: "php",
    file: "receiver.php",
    serve: (path, secret) => serveProcess("php", (port) => ["-S", `127.0.0.1:${port}`, path], secret),
  },
  sh: { program: "bash", file: "receiver.sh", serve: serveCgi },
};

describe("the documentation's receivers", () => {
  it.for(Object.entries(receivers))(
    "take a real delivery in %s, and nothing else",
    async ([language, { program, file, serve }], { skip }) => {
      const [sample, ...more] = [...readDocsBundle().matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))]
        .map(([, code]) => code ?? "")
        .filter((code) => code.includes("OUTBOUND_SECRET"));
      expect(more).toEqual([]);
      if (!(await isInstalled(program))) skip(`${program} is not installed`);
      const path = join(folder, file);
      await writeFile(path, sample ?? "");
      const shop = await openShop(database.sql);
      await using served = await serve(path, await addOutboundSecret(database.sql, shop));
      // The old secret still counts: its signature comes second.
      const secret = await addOutboundSecret(database.sql, shop);
      await addWebhook(database.sql, shop, { url: served.url, types: ["message.sent"] });
      await postEvent(gateway, shop, anEvent);
      const delivery = async () => (await database.sql`select status from webhook_delivery where site_id = ${shop.siteId}`)[0];
      await waitFor("the delivery to arrive", async () => (await delivery())?.["status"] === "delivered");
      const told = await waitFor("what it prints", () => /^\{.*\}$/m.exec(served.output())?.[0]);
      expect(JSON.parse(told)).toMatchObject({ type: "message.sent", site_id: shop.siteId, to_phone: "+15551230001" });

      const now = String(Math.floor(Date.now() / 1000));
      const signed = (body: string, timestamp = now, by = served.secret) => ({
        "webhook-id": "msg_1",
        "webhook-timestamp": timestamp,
        "webhook-signature": signStandard(by, { id: "msg_1", timestamp }, Buffer.from(body)),
      });
      const post = async (body: string, headers: Record<string, string>) =>
        (await fetch(served.url, { method: "POST", body, headers })).status;
      const odd = '{"odd":"$(exit) % \\\\ ü"}\n\n';
      expect(await post(odd, signed(odd))).toBe(204);
      expect(await post("{}", signed("{} "))).toBe(401);
      expect(await post("{}", signed("{}", String(Number(now) - 310)))).toBe(401);
      expect(await post("{}", signed("{}", "soon"))).toBe(401);
      expect(await post("{}", signed("{}", now, secret))).toBe(401);
      expect(await post("{}", { ...signed("{}"), "webhook-signature": "v1," })).toBe(401);
      expect(await post("{}", {})).toBe(401);
      expect(served.output().match(/^\{.*\}$/gm)).toHaveLength(2);
    },
  );
});

/** How each sender is run; those that are compiled first only at full length. */
const senders: Record<string, string[]> = {
  "event.sh": ["bash"],
  "event.mjs": [process.execPath],
  "event.php": ["php"],
  "event.py": ["python3"],
  "event.rb": ["ruby"],
  ...(process.env["TESTS"] === "long" && { "event.go": ["go", "run"], "event.java": ["java"], "event.cs": ["mcs"] }),
};

describe.concurrent("the documentation's senders", () => {
  it.for(Object.entries(senders))(
    "%s posts one event however its answers are lost, with the time of each try, and prints what refuses it",
    async ([file, [program = "", ...words]], { skip, expect }) => {
      if (!(await isInstalled(program))) skip(`${program} is not installed`);
      const shop = await openShop(database.sql);
      const path = join(folder, file);
      await writeFile(path, readDocsSample(file));
      const build = join(folder, "event.exe");
      if (program === "mcs") await run("mcs", ["-langversion:latest", "-r:System.Net.Http.dll", `-out:${build}`, path]);
      const [command, given] = program === "mcs" ? ["mono", [build]] : [program, [...words, path]];
      await using proxy = await startLossyProxy(gateway.url);
      const send = (secret: string) =>
        run(command, given, {
          env: { ...process.env, BASE_URL: proxy.url, SITE_KEY: shop.key, WEBHOOK_SECRET: secret, EVENT_ID: "order-7" },
        });
      expect(JSON.parse((await send(shop.secret)).stdout)).toMatchObject({ ok: true, chat: "sent", recipients_sent: 1 });
      expect(proxy.seen.map((headers) => headers["webhook-id"])).toEqual(["order-7", "order-7"]);
      const [first, second] = proxy.seen.map((headers) => Number(headers["webhook-timestamp"]));
      expect(second).toBeGreaterThan(first ?? Infinity);
      expect(await database.sql`select 1 from notification where site_id = ${shop.siteId}`).toHaveLength(1);
      const refused = await send("whs_wrong").then(
        () => undefined,
        (error: { code: number; stdout: string }) => error,
      );
      expect(refused).toMatchObject({ code: 1, stdout: expect.stringMatching(/"error":"Invalid signature"/) });
    },
  );
});

/** A way to the gateway that cuts the first connection once its request has been answered. */
async function startLossyProxy(target: string): Promise<{ url: string; seen: IncomingHttpHeaders[] } & AsyncDisposable> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      seen.push(request.headers);
      const isLost = seen.length === 1;
      const body = await buffer(request);
      const names = ["content-type", "x-service-site-key", "webhook-id", "webhook-timestamp", "webhook-signature"];
      const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name])]));
      const answer = await fetch(target + request.url, { method: "POST", headers, body: new Uint8Array(body) });
      const text = await answer.text();
      if (isLost) request.socket.destroy();
      else response.writeHead(answer.status).end(text);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Served extends AsyncDisposable {
  url: string;
  secret: string;
  /** The text that it has printed. */
  output: () => string;
}

/** Runs a sample that listens by itself; resolves once it answers. */
async function serveProcess(program: string, argumentsOf: (port: number) => string[], secret: string): Promise<Served> {
  const port = await freePort();
  const env = { ...process.env, OUTBOUND_SECRET: secret, PORT: String(port) };
  const child = spawn(program, argumentsOf(port), { env, stdio: ["ignore", "pipe", "pipe"] });
  const output = outputOf(child);
  const url = `http://127.0.0.1:${port}/`;
  await waitFor(`${program} to listen`, async () => fetch(url, { method: "POST", body: "{}" }).catch(() => undefined));
  return {
    url,
    secret,
    output,
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise((resolve) => child.once("close", resolve));
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** A web server that runs a script for each request, as RFC 3875 says. */
async function serveCgi(path: string, secret: string): Promise<Served> {
  let printed = "";
  const server = createServer((request, response) => {
    const given = Object.entries(request.headers).map(([name, value]) => [
      `HTTP_${name.toUpperCase().replaceAll("-", "_")}`,
      String(value),
    ]);
    const env = {
      ...process.env,
      ...Object.fromEntries(given),
      CONTENT_LENGTH: request.headers["content-length"],
      OUTBOUND_SECRET: secret,
    };
    const child = spawn("bash", [path], { env, stdio: ["pipe", "pipe", "pipe"] });
    child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    request.pipe(child.stdin);
    void readText(child.stdout).then((answer) => response.writeHead(Number(/^Status: (\d{3})/.exec(answer)?.[1] ?? 500)).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/`,
    secret,
    output: () => printed,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function outputOf({ stdout, stderr }: ChildProcess): () => string {
  let printed = "";
  for (const stream of [stdout, stderr]) stream?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  return () => printed;
}

/** PHP and Python are not on every machine; Node and a shell are. */
const isInstalled = async (program: string): Promise<boolean> =>
  run(program, [program === "go" ? "version" : "--version"]).then(
    () => true,
    () => false,
  );
