import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { resolve, join } from "node:path";
import { connect } from "shared/db/connect";
import { migrate } from "shared/db/migrate";
import { anyUserExists } from "shared/db/user";
import {
  type Environment,
  readConfig,
  required,
  withDefault,
  choiceVariable,
  databaseUrlVariable,
  hostVariable,
  httpUrlVariable,
  integerVariable,
  masterKeyVariable,
  networksVariable,
  portVariable,
  textVariable,
} from "shared/server/config";
import { ConfigurationError } from "shared/server/configuration-error";
import { LOG_LEVELS } from "shared/server/logger";
import { requireDatabase } from "shared/server/startup";
import { readAdminConfig } from "../config.ts";

const database = {
  /** Undefined: the embedded one in `dataDir`. */
  databaseUrl: databaseUrlVariable("DATABASE_URL"),
  dataDir: withDefault(textVariable("DATA_DIR"), ".data"),
};

const start = {
  ...database,
  host: withDefault(hostVariable("HOST"), "127.0.0.1"),
  gatewayPort: withDefault(portVariable("GATEWAY_PORT"), 4000),
  adminPort: withDefault(portVariable("ADMIN_PORT"), 4001),
  sandboxPort: withDefault(portVariable("SANDBOX_PORT"), 4002),
  masterKey: masterKeyVariable("MASTER_KEY"),
  /** Undefined: the sandbox. */
  platformApiUrl: httpUrlVariable("PLATFORM_API_URL"),
  publicGatewayUrl: httpUrlVariable("PUBLIC_GATEWAY_URL"),
  publicAdminUrl: httpUrlVariable("PUBLIC_ADMIN_URL"),
  adminEmail: textVariable("ADMIN_EMAIL"),
  adminPassword: textVariable("ADMIN_PASSWORD"),
  setupCode: textVariable("SETUP_CODE"),
  logLevel: withDefault(choiceVariable("LOG_LEVEL", LOG_LEVELS), "info"),
  // Read by the gateway alone; checked here too, so that a wrong one stops everything before anything is made.
  maxBodyBytes: integerVariable("MAX_BODY_BYTES", 1, 256 * 1024 * 1024),
  inDoubtSeconds: integerVariable("IN_DOUBT_SECONDS", 1, 86_400),
  webhookAllowPrivate: networksVariable("WEBHOOK_ALLOW_PRIVATE"),
};

export type StartConfig = ReturnType<typeof readStartConfig>;

/** What `npm start` needs. Throws a `ConfigurationError` with a line for each variable that is wrong, whichever part reads it. */
export const readStartConfig = (environment: Environment = process.env) => {
  const problems = new Set<string>();
  const config = collect(problems, () => readConfig(environment, start));
  collect(problems, () => readAdminConfig({ ...environment, ...standIns(environment) }));
  if (environment["DATABASE_URL"] && !environment["MASTER_KEY"]) {
    problems.add('MASTER_KEY must be set with DATABASE_URL: it encrypts what is stored there; make one with "openssl rand -base64 32"');
  }
  if (config === undefined || problems.size > 0) throw new ConfigurationError([...problems]);
  return { ...config, dataDir: resolve(config.dataDir) };
};

/** What a command needs that works on the database of `npm start`. */
export const readDatabaseConfig = (environment: Environment = process.env) => {
  const config = readConfig(environment, database);
  return { ...config, dataDir: resolve(config.dataDir) };
};

/** What a backup or a restore needs: the database of `npm start`, or one of its own right, and the key to its secrets. */
export const readBackupConfig = (environment: Environment = process.env) => {
  const config = readConfig(environment, { ...database, masterKey: masterKeyVariable("MASTER_KEY") });
  return { ...config, dataDir: resolve(config.dataDir) };
};

/** What a command needs that works on a database of its own right. */
export const readDatabaseUrl = (environment: Environment = process.env): string =>
  readConfig(environment, {
    url: required(databaseUrlVariable("DATABASE_URL"), "the PostgreSQL to work on; npm start brings one of its own"),
  }).url;

const collect = <T>(problems: Set<string>, read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    for (const problem of error.problems) problems.add(problem);
    return undefined;
  }
};

// For what `npm start` brings itself when it is unset.
const standIns = (environment: Environment): Environment => ({
  DATABASE_URL: environment["DATABASE_URL"] || "postgres://localhost/tidings",
  MASTER_KEY: environment["MASTER_KEY"] || Buffer.alloc(32).toString("base64"),
});

/** Brings the database to the newest schema; answers the migrations it applied, and whether anybody can sign in already. */
export const prepareDatabase = async (url: string): Promise<{ applied: string[]; hasUsers: boolean }> => {
  const sql = connect(url, { max: 1, applicationName: "tidings-migrate" });
  try {
    await requireDatabase(sql);
    return { applied: await migrate(sql), hasUsers: await anyUserExists(sql) };
  } finally {
    await sql.end({ timeout: 5 });
  }
};

/** The data folder's own master key in base64, made at the first start (mode 0600). */
export const keptMasterKey = async (dataDir: string): Promise<string> => {
  const file = join(dataDir, "master-key");
  const key = (await read(file)) ?? (await create(file));
  if (Buffer.from(key, "base64").length !== 32) {
    throw new ConfigurationError([`${file} is not a key of 32 bytes in base64: restore it, or set DATA_DIR to another folder`]);
  }
  return key;
};

const read = async (file: string): Promise<string | undefined> => {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
};

/** Puts a key where the data folder keeps its own. Throws when there is one. */
export const storeMasterKey = async (dataDir: string, key: string): Promise<void> => store(join(dataDir, "master-key"), key);

const create = async (file: string): Promise<string> => {
  const key = randomBytes(32).toString("base64");
  await store(file, key);
  return key;
};

// Written whole under another name first: a key that was cut off would lose what it encrypted.
const store = async (file: string, key: string): Promise<void> => {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${key}\n`, { mode: 0o600, flush: true });
  await link(draft, file);
  await rm(draft);
};
