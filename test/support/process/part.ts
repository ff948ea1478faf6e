import { freePort } from "shared/postgres/free-port";
import { type RunningProcess, startProcess, untilReady } from "./running-process.ts";

/** A part of the product that runs in a process of its own, from its sources. */
export interface RunningPart extends RunningProcess {
  readonly url: string;
  readonly port: number;
}

export interface PartOptions {
  readonly databaseUrl: string;
  /** Base64; every part of a test must get the same. */
  readonly masterKey?: string | undefined;
  /** A free one by default. */
  readonly port?: number | undefined;
  /** Further variables. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** A master key for tests: 32 bytes in base64. */
export const TEST_MASTER_KEY = Buffer.alloc(32, 7).toString("base64");

/** A gateway of its own process, ready to take events. Kill it with `kill("SIGKILL")`. */
export const startGatewayProcess = async (options: PartOptions): Promise<RunningPart> =>
  startPart("gateway/src/main.ts", "GATEWAY_PORT", "/api/public/ready", options);

export const startAdminProcess = async (options: PartOptions): Promise<RunningPart> =>
  startPart("admin-server/src/main.ts", "ADMIN_PORT", "/healthz", options);

export const startSandboxProcess = async (options: PartOptions): Promise<RunningPart> =>
  startPart("shared/src/sandbox/main.ts", "SANDBOX_PORT", "/_sandbox/messages", options);

const startPart = async (file: string, portVariable: string, readyPath: string, options: PartOptions): Promise<RunningPart> => {
  const port = options.port ?? (await freePort());
  const running = startProcess([process.execPath, "--conditions=source", "--import", "tsx", file], {
    env: {
      DATABASE_URL: options.databaseUrl,
      MASTER_KEY: options.masterKey ?? TEST_MASTER_KEY,
      [portVariable]: String(port),
      LOG_LEVEL: "info",
      ...options.env,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    await untilReady(running, `${url}${readyPath}`);
  } catch (error) {
    await running.kill("SIGKILL");
    throw error;
  }
  return { ...running, url, port };
};
