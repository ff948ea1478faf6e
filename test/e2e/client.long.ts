import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openShopWorld, type ShopWorld } from "../support/admin-shops.ts";
import { data } from "../support/data.ts";
import { anEvent, postEvent } from "../support/requests.ts";

// The package of the typed client works in a folder that has nothing else, on the oldest and the newest Node.

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

let world: ShopWorld;
let folder: string;
beforeAll(async () => {
  world = await openShopWorld();
  folder = await mkdtemp(join(tmpdir(), "tidings-client-"));
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const program = `import { type Answer, createClient, Refused } from "tidings-client";
const [url = "", token = ""] = process.argv.slice(2);
const client = createClient({ url, token });
const { items }: Answer<"sites.list"> = await client.call("sites.list");
const name: string | undefined = items[0]?.name;
const [siteId = ""] = items.map(({ id }) => id);
// @ts-expect-error: a site has no such member
items[0]?.nickname;
// @ts-expect-error: the site is missing
const refused: unknown = await client.call("sites.types", { language: "go" }).catch((error) => error);
const { text } = await client.call("sites.types", { siteId, language: "typescript" });
const stop = new AbortController();
const seen: string[] = [];
for await (const { events } of client.follow("events.tail", {}, { signal: stop.signal })) {
  seen.push(...events.map((event) => event.name));
  if (seen.length > 0) stop.abort();
}
for await (const { deliveries } of client.follow("webhooks.tail", { siteId })) {
  for (const { body } of deliveries) JSON.parse(body);
  break;
}
console.log(JSON.stringify({ name, code: refused instanceof Refused && refused.code, isTyped: text.includes("export interface OrderCreated"), seen: seen[0] }));
`;

it("types calls and subscriptions without the workspace, and makes them", { timeout: 300_000 }, async () => {
  const made = join(folder, "package");
  await run(process.execPath, [".tools/run.mjs", "client", made], { cwd: root });
  const { stdout: packed } = await run("npm", ["pack", "--pack-destination", folder], { cwd: made });
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  await run("npm", ["install", "--offline", `./${packed.trim().split("\n").at(-1)}`], { cwd: folder });
  await rm(made, { recursive: true });
  await writeFile(join(folder, "use.ts"), `declare const process: { argv: string[] };\n${program}`);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const strict = data<string[]>("test-e2e-client", "strict");
  await run(process.execPath, [tsc, ...strict, "use.ts"], { cwd: folder });
  const [admin] = world.admins;
  const args = ["use.js", admin?.url ?? "", admin?.token ?? ""];
  const newest = ["--yes", "-p", "node@24", "node", ...args];
  await postEvent(world.gateway, world.shop, anEvent, { event: "order.created" });
  for (const [command, given] of [
    [process.execPath, args],
    ["npx", newest],
  ] as const) {
    const { stdout } = await run(command, given, { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({ name: expect.any(String), code: "BAD_REQUEST", isTyped: true, seen: "order.created" });
  }
});
