import { execFileSync } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { inRoot } from "./workspace.mjs";

/** What turns an OpenAPI document into types. Nothing of it is in the package. */
const WRITER = ["-p", "openapi-typescript@7.10.1", "-p", "typescript@5.9.3", "openapi-typescript"];

/** Writes a package with a typed client of the admin API, which `npm pack` packs; it needs nothing of this workspace. */
export async function runClient([folder = inRoot("dist/client")]) {
  const target = resolve(folder);
  const { adminDocument } = await import("../admin-server/dist/rest/openapi.js");
  const { version, license, engines } = JSON.parse(await readFile(inRoot("package.json"), "utf8"));
  await mkdir(target, { recursive: true });
  const document = join(target, "openapi.json");
  await writeFile(document, JSON.stringify(adminDocument("http://127.0.0.1:4001")));
  execFileSync("npx", ["--yes", ...WRITER, document, "-o", join(target, "schema.d.ts")], { stdio: ["ignore", 2, 2], cwd: target });
  await rm(document);
  for (const file of ["tidings-client.mjs", "tidings-client.d.mts"]) await cp(inRoot(`.tools/client/${file}`), join(target, file));
  const description = {
    name: "tidings-client",
    version,
    description: "A typed client of the Tidings admin API.",
    license,
    type: "module",
    exports: { ".": { types: "./tidings-client.d.mts", default: "./tidings-client.mjs" } },
    files: ["tidings-client.mjs", "tidings-client.d.mts", "schema.d.ts"],
    engines,
  };
  await writeFile(join(target, "package.json"), `${JSON.stringify(description, null, 2)}\n`);
  process.stdout.write(`${target}\n`);
  return 0;
}
