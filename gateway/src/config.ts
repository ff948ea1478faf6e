import type { MetricsAddress } from "shared/metrics/metrics";
import { type Environment, parse, readConfig, required, variable, variablesOfServers, withDefault } from "shared/server/config";
import { dialable } from "shared/server/http-server";
import { defaultTimeLimits } from "./time-limits.ts";

type Settings = ReturnType<typeof readGatewayConfig>;
type Unset = "cell" | "masterKeyOld" | "sandboxUrl" | "otlpEndpoint" | "allowPrivate" | keyof MetricsAddress;
export type GatewayConfig = Omit<Settings, Unset> & Partial<Pick<Settings, Unset>>;

/** The gateway's settings from the environment. Throws a `ConfigurationError` that names every variable that is wrong. */
export function readGatewayConfig(environment: Environment = process.env) {
  const { sandboxPort, sandboxUrl, platformApiUrl, publicGatewayUrl, publicAdminUrl, adminPort, allowedHosts, ...read } = readConfig(
    environment,
    variables,
  );
  return {
    ...read,
    /** Where test sites send; undefined: nowhere. */
    sandboxUrl,
    platformApiUrl: platformApiUrl ?? sandboxUrl ?? `http://${dialable(read.host)}:${sandboxPort}`,
    /** The URL by which people and the platform reach this gateway. */
    publicGatewayUrl: publicGatewayUrl ?? `http://${dialable(read.host)}:${read.port}`,
    /** The dashboard's address; null: it is not known. Under npm start the port alone is. */
    publicAdminUrl: publicAdminUrl ?? (adminPort === undefined ? null : `http://${dialable(read.host)}:${adminPort}`),
    /** The host names under which the gateway answers beside loopback; null: under every name. */
    ownHosts: publicGatewayUrl === undefined ? null : [read.host, new URL(publicGatewayUrl).host, ...allowedHosts],
    timeLimits: defaultTimeLimits,
  };
}

const variables = {
  ...variablesOfServers,
  port: withDefault(variable("GATEWAY_PORT", parse.port), 4000),
  databaseUrl: required(
    variable("DATABASE_URL", parse.databaseUrl),
    "the gateway keeps everything in PostgreSQL; npm start brings one of its own",
  ),
  masterKey: required(variable("MASTER_KEY", parse.masterKey), "it decrypts the stored secrets; make one with openssl rand -base64 32"),
  platformApiUrl: variable("PLATFORM_API_URL", parse.httpUrl),
  adminPort: variable("ADMIN_PORT", parse.port),
  maxBodyBytes: withDefault(variable("MAX_BODY_BYTES", parse.integer(1, 256 * 1024 * 1024)), 1_048_576),
  inDoubtSeconds: withDefault(variable("IN_DOUBT_SECONDS", parse.integer(1, 86_400)), 120),
  /** The collector that takes traces; undefined: nothing is traced. */
  otlpEndpoint: variable("OTEL_EXPORTER_OTLP_ENDPOINT", parse.httpUrl),
};
