import { resolve } from "node:path";
import { type Environment, parse, readConfig, required, variable, variablesOfServers, withDefault } from "shared/server/config";
import { ConfigurationError } from "shared/server/configuration-error";
import { readAdminConfig, variables } from "../config.ts";

/** The same database by its owner, when DATABASE_URL names a role of fewer rights. */
const migrateDatabaseUrl = variable("MIGRATE_DATABASE_URL", parse.databaseUrl);

/** The age recipient to whom backups are encrypted. */
const backupRecipient = variable("BACKUP_RECIPIENT", parse.text);

/** The folder without DATA_DIR. */
export const defaultDataDir = resolve(".data");

const masterKeys = { masterKey: variable("MASTER_KEY", parse.masterKey), masterKeyOld: variable("MASTER_KEY_OLD", parse.masterKey) };

const database = {
  /** Undefined: the embedded database in `dataDir`. */
  databaseUrl: variable("DATABASE_URL", parse.databaseUrl),
  migrateDatabaseUrl,
  /** The folder as an absolute path. */
  dataDir: withDefault(variable("DATA_DIR", resolve), defaultDataDir),
};

const start = {
  ...database,
  host: variables.host,
  gatewayPort: variables.gatewayPort,
  adminPort: variables.port,
  sandboxPort: variables.sandboxPort,
  ...masterKeys,
  /** Both derived from the master key when undefined. */
  sandboxKey: variable("SANDBOX_KEY", parse.masterKey),
  sandboxControlToken: variables.sandboxControlToken,
  /** Undefined: the sandbox. */
  platformApiUrl: variables.platformUrl,
  adminEmail: variables.email,
  adminPassword: variables.password,
  setupCode: variables.setupCode,
  metricsPort: variables.metricsPort,
  metricsHost: variables.metricsHost,
  logLevel: variables.logLevel,
  /** The kind of terminal, as the terminal itself sets it. */
  term: variable("TERM", parse.text),
  // The gateway and the backup read these; they are checked here too, so that a wrong one stops the start before anything is made.
  backupRecipient,
  maxBodyBytes: variable("MAX_BODY_BYTES", parse.integer(1, 256 * 1024 * 1024)),
  inDoubtSeconds: variable("IN_DOUBT_SECONDS", parse.integer(1, 86_400)),
};

/** The configuration of `npm start`. Throws a `ConfigurationError` with a line for each variable that is wrong, whichever part reads it. */
export function readStartConfig(environment: Environment = process.env) {
  const problems = new Set<string>();
  const config = collect(problems, () => readConfig(environment, start));
  collect(problems, () => readAdminConfig({ ...environment, ...standIns(environment) }));
  if (environment["DATABASE_URL"] && !environment["MASTER_KEY"])
    problems.add('MASTER_KEY must be set with DATABASE_URL: it encrypts what is stored there; make one with "openssl rand -base64 32"');
  if (environment["MASTER_KEY_OLD"] && !environment["MASTER_KEY"])
    problems.add("MASTER_KEY must be set with MASTER_KEY_OLD: it is the key that comes after that one");
  if (environment["MIGRATE_DATABASE_URL"] && !environment["DATABASE_URL"])
    problems.add("DATABASE_URL must be set with MIGRATE_DATABASE_URL: the same database, as the programs connect to it");
  if (config === undefined || problems.size > 0) throw new ConfigurationError([...problems]);
  return config;
}

export type StartConfig = ReturnType<typeof readStartConfig>;

function collect<T>(problems: Set<string>, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    for (const problem of error.problems) problems.add(problem);
    return undefined;
  }
}

/** Values for the variables that `npm start` fills in itself when they are unset. */
const standIns = (environment: Environment): Environment => ({
  DATABASE_URL: environment["DATABASE_URL"] || "postgres://localhost/tidings",
  MASTER_KEY: environment["MASTER_KEY"] || Buffer.alloc(32).toString("base64"),
});

/** The configuration of a command that works on the database of `npm start`. */
export const readDatabaseConfig = (environment: Environment = process.env) => readConfig(environment, database);

/** The configuration of a backup or a restore: the database, and the key to its secrets when it is not in DATA_DIR. */
export const readBackupConfig = (environment: Environment = process.env) =>
  readConfig(environment, {
    ...database,
    ...masterKeys,
    backupRecipient,
    /** The file of identities that open encrypted backups. */
    backupIdentityFile: variable("BACKUP_IDENTITY_FILE", parse.text),
  });

/** The configuration of a command that never works on the embedded database. */
export const readMigrateConfig = (environment: Environment = process.env) =>
  readConfig(environment, {
    databaseUrl: required(variable("DATABASE_URL", parse.databaseUrl), "the PostgreSQL to work on; npm start brings one of its own"),
    migrateDatabaseUrl,
  });

/** The configuration of a move to another installation: this one's database and key, and those of the other. */
export const readMoveConfig = (environment: Environment = process.env) =>
  readConfig(environment, {
    ...database,
    moveTo: {
      name: "--to",
      read: () => required(variable("--to", parse.databaseUrl), "the other installation's database").read(environment["MOVE_TO"]),
    },
    ...masterKeys,
    masterKeyTo: variable("MASTER_KEY_TO", parse.masterKey),
    cell: variablesOfServers.cell,
    inDoubtSeconds: variable("IN_DOUBT_SECONDS", parse.integer(1, 86_400)),
  });
