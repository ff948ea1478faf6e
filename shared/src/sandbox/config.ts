import {
  type Environment,
  readConfig,
  required,
  withDefault,
  choiceVariable,
  databaseUrlVariable,
  hostsVariable,
  hostVariable,
  masterKeyVariable,
  portVariable,
  textVariable,
} from "../server/config.ts";
import { logLevels } from "../server/logger.ts";
import type { SandboxLimit } from "./store.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** How the sandbox behaves. Delays count from the call that causes the event. */
export interface SandboxOptions {
  sentAfterMs: number;
  deliveredAfterMs: number;
  readAfterMs: number;
  /** Length of a template's review. */
  reviewAfterMs: number;
  /** A hanging answer takes this long, which is longer than any client waits. */
  hangMs: number;
  slowMs: number;
  /** Rate limits of new accounts. */
  limits: readonly SandboxLimit[];
  /** Most templates of an account, counted per language. */
  templateLimit: number;
  /** How long a deleted name and language is locked, by whether it was ever approved. */
  lockApprovedMs: number;
  lockOtherMs: number;
  callbackTimeoutMs: number;
  /** An unacknowledged update is repeated after `retryFirstMs`, then after twice as long each time up to `retryMostMs`, and dropped after `retryForMs`. */
  retryFirstMs: number;
  retryMostMs: number;
  retryForMs: number;
  updatesPerCallback: number;
  now: () => number;
}

export const defaultOptions: SandboxOptions = {
  sentAfterMs: 150,
  deliveredAfterMs: 800,
  readAfterMs: 3_000,
  reviewAfterMs: 1_500,
  hangMs: 30_000,
  slowMs: 3_000,
  limits: [],
  templateLimit: 6_000,
  lockApprovedMs: 30 * dayMs,
  lockOtherMs: 45_000,
  callbackTimeoutMs: 10_000,
  retryFirstMs: 500,
  retryMostMs: 60_000,
  retryForMs: 7 * dayMs,
  updatesPerCallback: 1_000,
  now: Date.now,
};

/** The sandbox's settings from the environment. Throws a `ConfigurationError` that names every variable that is wrong. */
export const readSandboxConfig = (environment: Environment = process.env) => readConfig(environment, variables);

const variables = {
  host: withDefault(hostVariable("HOST"), "127.0.0.1"),
  port: withDefault(portVariable("SANDBOX_PORT"), 4002),
  databaseUrl: required(databaseUrlVariable("DATABASE_URL"), "the sandbox keeps everything in PostgreSQL; npm start brings one of its own"),
  key: required(masterKeyVariable("SANDBOX_KEY"), "it encrypts the accounts' secrets; make one with openssl rand -base64 32"),
  controlToken: required(textVariable("SANDBOX_CONTROL_TOKEN"), "it opens the sandbox's own calls; the admin server needs the same"),
  allowedHosts: withDefault(hostsVariable("ALLOWED_HOSTS"), []),
  logLevel: withDefault(choiceVariable("LOG_LEVEL", logLevels), "info"),
};
