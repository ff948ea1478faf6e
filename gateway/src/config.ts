import type { MetricsAddress } from "shared/metrics/metrics";
import {
  type Environment,
  readConfig,
  required,
  withDefault,
  choiceVariable,
  databaseUrlVariable,
  flagVariable,
  hostsVariable,
  hostVariable,
  httpUrlVariable,
  integerVariable,
  networksVariable,
  masterKeyVariable,
  portVariable,
} from "shared/server/config";
import { dialable } from "shared/server/http-server";
import { logLevels } from "shared/server/logger";
import { defaultTimeLimits } from "./time-limits.ts";

type Settings = ReturnType<typeof readGatewayConfig>;
type Unset = "masterKeyOld" | "sandboxUrl" | "otlpEndpoint" | "allowPrivate" | keyof MetricsAddress;
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
  host: withDefault(hostVariable("HOST"), "127.0.0.1"),
  port: withDefault(portVariable("GATEWAY_PORT"), 4000),
  databaseUrl: required(databaseUrlVariable("DATABASE_URL"), "the gateway keeps everything in PostgreSQL; npm start brings one of its own"),
  masterKey: required(masterKeyVariable("MASTER_KEY"), "it decrypts the stored secrets; make one with openssl rand -base64 32"),
  /** The former one, while they are being rotated. */
  masterKeyOld: masterKeyVariable("MASTER_KEY_OLD"),
  sandboxPort: withDefault(portVariable("SANDBOX_PORT"), 4002),
  /** The sandbox, where a part that runs alone does not find it at `sandboxPort` of its own machine. */
  sandboxUrl: httpUrlVariable("SANDBOX_URL"),
  platformApiUrl: httpUrlVariable("PLATFORM_API_URL"),
  publicGatewayUrl: httpUrlVariable("PUBLIC_GATEWAY_URL"),
  publicAdminUrl: httpUrlVariable("PUBLIC_ADMIN_URL"),
  adminPort: portVariable("ADMIN_PORT"),
  allowedHosts: withDefault(hostsVariable("ALLOWED_HOSTS"), []),
  maxBodyBytes: withDefault(integerVariable("MAX_BODY_BYTES", 1, 256 * 1024 * 1024), 1_048_576),
  inDoubtSeconds: withDefault(integerVariable("IN_DOUBT_SECONDS", 1, 86_400), 120),
  /** Private networks in which shops may be asked for their orders. */
  allowPrivate: networksVariable("WEBHOOK_ALLOW_PRIVATE"),
  logLevel: withDefault(choiceVariable("LOG_LEVEL", logLevels), "info"),
  /** The collector that takes traces; undefined: nothing is traced. */
  otlpEndpoint: httpUrlVariable("OTEL_EXPORTER_OTLP_ENDPOINT"),
  metricsPort: portVariable("METRICS_PORT"),
  metricsHost: hostVariable("METRICS_HOST"),
  /** The client's address is the last one in `X-Forwarded-For`. */
  trustProxy: flagVariable("TRUST_PROXY"),
};
