import { dayMs } from "../core/durations.ts";
import { type Environment, parse, readConfig, required, variable, variablesOfParts, withDefault } from "../server/config.ts";
import type { SandboxLimit } from "./store.ts";

/** How the sandbox behaves, times in milliseconds. Delays count from the call that causes the event. */
export const defaultOptions = {
  sentAfterMs: 150,
  deliveredAfterMs: 800,
  readAfterMs: 3_000,
  /** Length of a template's review. */
  reviewAfterMs: 1_500,
  /** A hanging answer takes this long, which is longer than any client waits. */
  hangMs: 30_000,
  slowMs: 3_000,
  /** Rate limits of new accounts. */
  limits: [] as readonly SandboxLimit[],
  /** Most templates of an account, counted per language. */
  templateLimit: 6_000,
  /** How long a deleted name and language is locked, by whether it was ever approved. */
  lockApprovedMs: 30 * dayMs,
  lockOtherMs: 45_000,
  callbackTimeoutMs: 10_000,
  /** An unacknowledged update is repeated after `retryFirstMs`, then after twice as long each time up to `retryMostMs`, and dropped after `retryForMs`. */
  retryFirstMs: 500,
  retryMostMs: 60_000,
  retryForMs: 7 * dayMs,
  updatesPerCallback: 1_000,
  now: Date.now,
};

export type SandboxOptions = typeof defaultOptions;

/** The sandbox's settings from the environment. Throws a `ConfigurationError` that names every variable that is wrong. */
export const readSandboxConfig = (environment: Environment = process.env) => readConfig(environment, variables);

const variables = {
  ...variablesOfParts,
  port: withDefault(variable("SANDBOX_PORT", parse.port), 4002),
  databaseUrl: required(
    variable("DATABASE_URL", parse.databaseUrl),
    "the sandbox keeps everything in PostgreSQL; npm start brings one of its own",
  ),
  key: required(variable("SANDBOX_KEY", parse.masterKey), "it encrypts the accounts' secrets; make one with openssl rand -base64 32"),
  controlToken: required(
    variable("SANDBOX_CONTROL_TOKEN", parse.text),
    "it opens the sandbox's own calls; the admin server needs the same",
  ),
};
