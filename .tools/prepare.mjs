import { buildStale, isBuilt } from "./build.mjs";
import { installMissing, isInstalled } from "./install.mjs";
import { withLock } from "./lock.mjs";
import { canRewrite, quietly } from "./quiet.mjs";

/** Installs and builds as far as needed. Nothing is written, and no lock taken, when all is current: the checkout may be read-only then. `isQuiet`: one line on a terminal. */
export const prepare = async ({ isQuiet = false } = {}) => {
  if (isInstalled() && isBuilt()) return;
  const work = async () =>
    withLock(async () => {
      await installMissing();
      await buildStale();
    });
  await (isQuiet && canRewrite(process.stderr) ? quietly(work) : work());
};
