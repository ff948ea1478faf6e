import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { eventSamples } from "./event-samples.ts";

test("the four lines, and a program below its command, post the site's event to its recipient, each run under an id of its own", async () => {
  const seen: unknown[] = [];
  await using server = createServer((request, response) => {
    void json(request).then((body) => {
      seen.push([request.url, request.headers["x-service-site-key"], request.headers["webhook-id"], body]);
      response.end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const gatewayUrl = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const site = { source: "woocommerce", event: "order.paid", siteKey: "sk_live_1", webhookSecret: "whs_'2" };
  const samples = eventSamples({ gatewayUrl, ...site, phone: "+491701230001" });
  expect(samples.map(({ name }) => name)).toEqual(["curl", "Shell", "Node", "PHP", "Python", "Ruby", "Go", "Java", "C#"]);
  expect(samples[0]?.code.trim().split("\n").length).toBe(4);
  expect(samples[3]?.code).toMatch(/^<\?php\n\/\/ BASE_URL='.*php event\.php\n\$order/u);

  const folder = await mkdtemp(join(tmpdir(), "tidings-samples-"));
  try {
    await writeFile(join(folder, "event.mjs"), samples[2]?.code ?? "");
    const command = samples[2]?.code.split("\n")[0]?.replace("// ", "") ?? "";
    for (const line of [samples[0]?.code ?? "", command]) await promisify(execFile)("bash", ["-c", line], { cwd: folder });
  } finally {
    await rm(folder, { recursive: true });
  }
  const body = { customer: { first_name: "Ada", phone_e164: "+491701230001" } };
  const id = expect.stringMatching(/^try-\d+$/u) as string;
  const post = ["/api/public/ingest/woocommerce/order.paid", "sk_live_1", id, expect.objectContaining(body)];
  expect(seen).toEqual([post, post]);
});
