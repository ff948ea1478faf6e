import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { findStandardSigner } from "shared/secrets/signature";
import { afterAll, beforeAll, expect, test, describe } from "vitest";
import { eventSamples, ingestUrl, layOutJson } from "./event-samples.ts";

describe("event samples", () => {
  const run = promisify(execFile);
  const sender = { siteKey: "sk_live_1", webhookSecret: "whs_2" };
  const payload = { event: "order.created", customer: { first_name: 'D\'Arcy \\ "Ö" $HOME' }, items: [{ name: "Mug", qty: 2 }] };
  const programs: Record<string, { command: string; file: string }> = {
    curl: { command: "bash", file: "event.sh" },
    Node: { command: process.execPath, file: "event.mjs" },
    PHP: { command: "php", file: "event.php" },
    Python: { command: "python3", file: "event.py" },
  };

  const seen: { url: string | undefined; headers: NodeJS.Dict<string | string[]>; body: Buffer }[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      seen.push({ url: request.url, headers: request.headers, body });
      if (seen.length === 1) response.writeHead(503);
      response.end(`{"ok":${seen.length > 1}}`);
    });
  });
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tidings-samples-"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  test.for(Object.entries(programs))(
    "that in %s signs the event, posts it, again after a 503 with the time of then, and prints the answer",
    async ([name, { command, file }], { skip }) => {
      const asked = await run(command, command === "php" ? ["-r", "exit(function_exists('curl_init') ? 0 : 1);"] : ["--version"]).catch(
        () => null,
      );
      skip(asked === null, `there is no ${command} on this machine, or it lacks curl`);
      seen.length = 0;
      const address = server.address();
      const gateway = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
      const samples = eventSamples({ url: ingestUrl(gateway, "generic", "order.created"), ...sender, payload });
      const path = join(folder, file);
      await writeFile(path, samples.find((sample) => sample.name === name)?.code ?? "");
      const { stdout, stderr } = await run(command, [path]);
      expect([stdout.trim(), stderr]).toEqual(['{"ok":true}', ""]);
      expect(seen).toHaveLength(2);
      expect(new Set(seen.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
      for (const { url, headers, body } of seen) {
        expect(url).toBe("/api/public/ingest/generic/order.created");
        expect(JSON.parse(body.toString())).toEqual(payload);
        expect(headers).toMatchObject({ "content-type": "application/json", "x-service-site-key": sender.siteKey });
        const [id, timestamp, signature] = ["id", "timestamp", "signature"].map((name) => String(headers[`webhook-${name}`]));
        expect(findStandardSigner([{ secret: sender.webhookSecret }], body, { id, timestamp, signature } as never)).toBeDefined();
      }
      const [first, second] = seen.map(({ headers }) => Number(headers["webhook-timestamp"]));
      expect(second).toBeGreaterThan(first ?? Infinity);
      expect(Math.abs((second ?? 0) - Date.now() / 1000)).toBeLessThan(60);
    },
  );
});

describe("layout", () => {
  const long = "x".repeat(70);

  test("what fits stands on one line, what does not takes one for each member", () => {
    expect(layOutJson({ a: 1, b: ["c", { d: "e" }] })).toBe('{"a": 1, "b": ["c", {"d": "e"}]}');
    expect(layOutJson({ a: { b: 1 }, c: [long, 2] })).toBe(`{\n  "a": {"b": 1},\n  "c": [\n    "${long}",\n    2\n  ]\n}`);
  });

  test("however it is laid out it stays the same JSON", () => {
    const value = { 'quo"te': long, list: [[], {}, [long, long]], empty: "", n: -1.5, deep: { deeper: { deepest: long } } };
    expect(JSON.parse(layOutJson(value))).toEqual(value);
  });
});
