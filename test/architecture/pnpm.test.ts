import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { root } from "./graph.ts";

const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { packageManager: string };
const [, version = "", published = ""] = /^pnpm@([\d.]+)\+sha512\.([\da-f]{128})$/.exec(packageManager) ?? [];
const altered = gzipSync(Buffer.alloc(1024));

test.each([
  ["with the published hash", Buffer.from(published, "hex"), ["/pnpm", "/pnpm.tgz"]],
  ["with its own hash", createHash("sha512").update(altered).digest(), ["/pnpm"]],
])("an altered pnpm is refused, %s in the registry", async (_, hash, asked) => {
  const { runPnpm } = (await import(join(root, ".tools/pnpm.mjs"))) as {
    runPnpm: (args: string[], env: NodeJS.ProcessEnv) => Promise<number>;
  };
  await using registry = await openRegistry(`sha512-${hash.toString("base64")}`);
  const cache = await mkdtemp(join(tmpdir(), "tidings-npm-"));
  const env = { ...process.env, npm_config_registry: registry.url, npm_config_cache: cache, npm_config_fetch_retries: "0" };
  try {
    await expect(runPnpm(["--version"], env)).rejects.toThrow(`refused: pnpm ${version} from the registry is not the published one`);
    expect([...new Set(registry.asked)]).toEqual(asked);
  } finally {
    await rm(cache, { recursive: true });
  }
});

/** A registry that serves only the altered tarball. */
async function openRegistry(integrity: string) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (request.url === "/pnpm.tgz") return void response.end(altered);
    const dist = { tarball: `${url}/pnpm.tgz`, integrity };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ name: "pnpm", "dist-tags": { latest: version }, versions: { [version]: { name: "pnpm", version, dist } } }),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
