import { type Environment, readConfig, required, withDefault } from "../server/config-reader.ts";
import { LOG_LEVELS } from "../server/logger.ts";
import { choiceVariable, databaseUrlVariable, hostVariable, portVariable } from "../server/variables.ts";

/** The sandbox's settings from the environment. Throws a `ConfigurationError` that names every variable that is wrong. */
export const readSandboxConfig = (environment: Environment = process.env) => readConfig(environment, variables);

const variables = {
  host: withDefault(hostVariable("HOST"), "127.0.0.1"),
  port: withDefault(portVariable("SANDBOX_PORT"), 4002),
  databaseUrl: required(databaseUrlVariable("DATABASE_URL"), "the sandbox keeps everything in PostgreSQL; npm start brings one of its own"),
  logLevel: withDefault(choiceVariable("LOG_LEVEL", LOG_LEVELS), "info"),
};
