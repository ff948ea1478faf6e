import { masterKey } from "../gateway/shop.ts";
import { type RunningProcess, startProcess } from "../process/running-process.ts";
import { waitFor } from "../wait-for.ts";

export interface MainOptions {
  databaseUrl: string;
  platform: { url: string };
  /** Of Node itself. */
  nodeOptions?: readonly string[] | undefined;
  /** A file that is run before the gateway. */
  preload?: string | undefined;
}

/** The gateway as `npm run gateway` runs it, from source. */
export const startMain = ({ databaseUrl, platform, nodeOptions = [], preload }: MainOptions): RunningProcess => {
  const before = preload === undefined ? [] : ["--import", preload];
  return startProcess([process.execPath, ...nodeOptions, "--conditions=source", "--import", "tsx", ...before, "gateway/src/main.ts"], {
    env: {
      DATABASE_URL: databaseUrl,
      MASTER_KEY: masterKey.toString("base64"),
      GATEWAY_PORT: "0",
      PLATFORM_API_URL: platform.url,
      LOG_LEVEL: "info",
    },
  });
};

/** Once it listens. */
export const urlOf = async (gateway: RunningProcess): Promise<string> =>
  waitFor("the gateway to listen", () => {
    const line = gateway
      .stdout()
      .split("\n")
      .find((text) => text.includes('"listening"'));
    if (line === undefined && !gateway.isRunning()) throw new Error(`the gateway ended: ${gateway.stderr()}`);
    return line === undefined ? undefined : (JSON.parse(line) as { url: string }).url;
  });
