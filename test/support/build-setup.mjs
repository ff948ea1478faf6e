import { prepare } from "../../.tools/prepare.mjs";

/** Builds what is stale: tests start programs and open the dashboard as they are built. */
export const setup = async () => prepare();
