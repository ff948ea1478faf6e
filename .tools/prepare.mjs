import { buildStale, isBuilt } from "./build.mjs";
import { installMissing, isInstalled } from "./install.mjs";
import { withLock } from "./lock.mjs";

/** Installs and builds as far as needed. Nothing is written, and no lock taken, when all is current: the checkout may be read-only then. */
export const prepare = async () => {
  if (isInstalled() && isBuilt()) return;
  await withLock(async () => {
    await installMissing();
    await buildStale();
  });
};
