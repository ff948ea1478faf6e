import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../../test/support/database.ts";
import { openGateway } from "../../../test/support/gateway.ts";
import { openShop, type Shop } from "../../../test/support/gateway.ts";
import type { Gateway } from "../start.ts";

const run = promisify(execFile);

let database: TestDatabase;
let gateway: Gateway;
let shop: Shop;
let folder: string;
let bundle: Response;
let text: string;
beforeAll(async () => {
  database = await testDatabase();
  gateway = await openGateway(database.url, "http://127.0.0.1:9");
  shop = await openShop(database.sql, { event: "another.event" });
  folder = await mkdtemp(join(tmpdir(), "docs-"));
  bundle = await fetch(`${gateway.url}/api/public/docs/bundle`);
  text = await bundle.text();
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
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
  };

  it.for(Object.entries(programs))("has %s samples that work as they stand", async ([language, { program, file }], { skip }) => {
    const samples = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, sample]) => sample ?? "");
    expect(samples.length).toBeGreaterThan(0);
    if (!(await exists(program))) skip(`${program} is not installed`);
    for (const sample of samples) {
      const path = join(folder, file);
      await writeFile(path, sample);
      const env = { ...process.env, BASE_URL: gateway.url, SITE_KEY: shop.key, WEBHOOK_SECRET: shop.secret };
      const { stdout } = await run(program, [path], { env, timeout: 30_000 });
      expect(JSON.parse(stdout)).toMatchObject({ ok: true, event: "order.created", chat: "no_bindings" });
    }
  });
});

/** PHP and Python are not on every machine; Node and a shell are. */
const exists = async (program: string): Promise<boolean> =>
  run(program, ["--version"]).then(
    () => true,
    () => false,
  );
