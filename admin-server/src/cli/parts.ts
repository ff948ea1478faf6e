import { dialable } from "shared/server/http-server";
import type { StartConfig } from "./config.ts";
import type { Part } from "./part.ts";
import type { Ports } from "./ports.ts";

/** Where each program of a start is reached from this machine; `sandbox` is null when the platform is the real one. */
export interface Addresses {
  readonly gateway: string;
  readonly admin: string;
  readonly sandbox: string | null;
}

export interface PartsInput {
  readonly ports: Ports;
  readonly addresses: Addresses;
  readonly databaseUrl: string;
  readonly masterKey: string;
  readonly setupCode: string;
}

export const addressesOf = (config: StartConfig, ports: Ports): Addresses => {
  const at = (port: number): string => `http://${dialable(config.host)}:${port}`;
  return { gateway: at(ports.gateway), admin: at(ports.admin), sandbox: ports.sandbox === null ? null : at(ports.sandbox) };
};

/** The programs of a start: each group may start at once and stop at once, when the one before it serves and still serves. */
export const partsOf = ({ ports, addresses, databaseUrl, masterKey, setupCode }: PartsInput): Part[][] => {
  const env = {
    NODE_ENV: "production",
    DATABASE_URL: databaseUrl,
    MASTER_KEY: masterKey,
    GATEWAY_PORT: String(ports.gateway),
    ADMIN_PORT: String(ports.admin),
    SANDBOX_PORT: ports.sandbox === null ? undefined : String(ports.sandbox),
  };
  const gateway = { name: "gateway", file: program("gateway/dist/main.js"), env, readyUrl: `${addresses.gateway}/api/public/ready` };
  const admin = {
    name: "admin server",
    file: program("admin-server/dist/main.js"),
    env: { ...env, SETUP_CODE: setupCode },
    readyUrl: `${addresses.admin}/healthz`,
  };
  if (addresses.sandbox === null) return [[gateway, admin]];
  const sandbox = {
    name: "sandbox",
    file: program("shared/dist/sandbox/main.js"),
    env,
    readyUrl: `${addresses.sandbox}/_sandbox/messages`,
  };
  return [[sandbox], [gateway, admin]];
};

// The same three folders up from the sources and from what is built of them.
const program = (path: string): URL => new URL(`../../../${path}`, import.meta.url);
