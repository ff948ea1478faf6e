import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { promisify } from "node:util";
import { readDocsBundle } from "shared/docs/bundle";
import { freePort } from "shared/postgres/cluster";
import { signStandard } from "shared/secrets/signature";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { loopback, openGateway, openShop } from "../../../test/support/gateway.ts";
import { startScriptedPlatform } from "../../../test/support/platform.ts";
import { addOutboundSecret, addWebhook } from "../../../test/support/receiver.ts";
import { anEvent, postEvent } from "../../../test/support/requests.ts";
import { shared } from "../../../test/support/shared.ts";
import { waitFor } from "../../../test/support/wait-for.ts";

const run = promisify(execFile);

const database = shared(async () => testDatabase());
const platform = shared(async () => startScriptedPlatform());
const gateway = shared(async () => openGateway(database.url, platform.url, { allowPrivate: loopback }, { dueMs: 20, firstRetryMs: 50 }));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "receivers-"));
});
afterAll(async () => {
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
  ruby: { program: "ruby", file: "receiver.rb", serve: (path, secret) => serveProcess("ruby", () => [path], secret) },
  sh: { program: "bash", file: "receiver.sh", serve: serveCgi },
  // What is compiled first takes long.
  ...(process.env["TESTS"] === "long" && {
    go: { program: "go", file: "receiver.go", serve: (path, secret) => serveBuilt("go", ["build", "-o"], path, secret) },
    java: { program: "java", file: "receiver.java", serve: (path, secret) => serveProcess("java", () => [path], secret) },
    csharp: { program: "mono", file: "receiver.cs", serve: (path, secret) => serveBuilt("mcs", ["-langversion:latest"], path, secret) },
  }),
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

/** Runs a program that another makes of a sample. */
async function serveBuilt(compiler: "go" | "mcs", options: string[], path: string, secret: string): Promise<Served> {
  const target = `${path}.exe`;
  await run(compiler, compiler === "go" ? [...options, target, path] : [...options, `-out:${target}`, path]);
  return compiler === "go" ? await serveProcess(target, () => [], secret) : await serveProcess("mono", () => [target], secret);
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
