import { realpathSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { prepare } from "../../.tools/prepare.mjs";

/**
 * Builds what is stale: tests start programs and open the dashboard as they are built. The gateway that they start dozens of times is made one file, as reading
 * hundreds is half the work of such a start.
 */
export const setup = async () => {
  await prepare();
  const folder = await mkdtemp(join(tmpdir(), "tidings-programs-"));
  process.env["TEST_GATEWAY"] = join(folder, "gateway.mjs");
  await makeOneFile(fileURLToPath(new URL("crashing-gateway.mjs", import.meta.url)), process.env["TEST_GATEWAY"]);
  return async () => rm(folder, { recursive: true, force: true });
};

const makeOneFile = async (input, file) => {
  const { rolldown } = await import(findBundler());
  const bundle = await rolldown({ input, platform: "node", logLevel: "silent", plugins: [inTheirPlace] });
  await bundle.write({ file, codeSplitting: false });
  await bundle.close();
};

/** That of the test runner's own Vite. */
const findBundler = () => {
  const packages = ["vitest", "vite"].reduce(
    (from, name) => realpathSync(createRequire(from).resolve(`${name}/package.json`)),
    import.meta.url,
  );
  return pathToFileURL(createRequire(packages).resolve("rolldown")).href;
};

/** Files beside a module are found as before. */
const inTheirPlace = {
  name: "in-their-place",
  transform: (code, id) =>
    code.includes("import.meta.url") ? code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)) : undefined,
};
