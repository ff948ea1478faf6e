import type { BlockList } from "node:net";
import { newPasswordSchema } from "shared/core/input/team";
import { emailSchema } from "shared/core/input/values";
import { isCommonPassword } from "shared/core/password";
import {
  readConfig,
  required,
  variable,
  withDefault,
  type Environment,
  type Variable,
  choiceVariable,
  databaseUrlVariable,
  flagVariable,
  hostsVariable,
  hostVariable,
  httpUrlVariable,
  masterKeyVariable,
  networksVariable,
  portVariable,
  textVariable,
} from "shared/server/config";
import { ConfigurationError } from "shared/server/configuration-error";
import { createHostCheck } from "shared/server/hosts";
import { dialable } from "shared/server/http-server";
import { logLevels, type LogLevel } from "shared/server/logger";

export interface AdminConfig {
  host: string;
  /** 0 takes any free port. */
  port: number;
  databaseUrl: string;
  masterKey: Buffer;
  /** The former one, while they are being rotated. */
  masterKeyOld?: Buffer | undefined;
  /** The platform's base URL: the sandbox's when none is configured. */
  platformUrl: string;
  isSandbox: boolean;
  /** Opens the sandbox's own calls; null: nobody said it. */
  sandboxControlToken: string | null;
  publicGatewayUrl: string;
  publicAdminUrl: string;
  /** The client's address is taken from X-Forwarded-For. */
  trustProxy: boolean;
  /** Created at start while there is no user. */
  firstOwner: { email: string; password: string } | null;
  /** Private networks that user-entered URLs may reach. */
  allowPrivate: BlockList | null;
  /** Everybody may open an account of their own. */
  allowSignUp: boolean;
  /** Further names under which the server answers. */
  allowedHosts: readonly string[];
  /** Required for the first sign-up from another machine. */
  setupCode: string | null;
  /** Null where nobody signs in by an OpenID issuer. */
  oidc: OidcConfig | null;
  logLevel: LogLevel;
}

export interface OidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** As the sign-in page calls it. */
  name: string;
}

/** Reads the environment. Throws `ConfigurationError` with a line for each variable that is wrong. */
export function readAdminConfig(environment: Environment = process.env): AdminConfig {
  const values = readConfig(environment, variables);
  const { host, port, email, password, platformUrl } = values;
  if ((email === undefined) !== (password === undefined)) {
    throw new ConfigurationError([`${email === undefined ? "ADMIN_EMAIL" : "ADMIN_PASSWORD"} must be set too: the first owner needs both`]);
  }
  return {
    host,
    port,
    databaseUrl: values.databaseUrl,
    masterKey: values.masterKey,
    masterKeyOld: values.masterKeyOld,
    platformUrl: platformUrl ?? urlOf(host, values.sandboxPort),
    isSandbox: platformUrl === undefined,
    sandboxControlToken: values.sandboxControlToken ?? null,
    publicGatewayUrl: values.publicGatewayUrl ?? urlOf(host, values.gatewayPort),
    publicAdminUrl: values.publicAdminUrl ?? urlOf(host, port),
    trustProxy: values.trustProxy,
    firstOwner: email === undefined || password === undefined ? null : { email, password },
    allowPrivate: values.allowPrivate ?? null,
    allowSignUp: values.allowSignUp,
    allowedHosts: values.allowedHosts,
    setupCode: values.setupCode ?? null,
    oidc: oidcOf(values),
    logLevel: values.logLevel,
  };
}

function oidcOf({ oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcName }: OidcValues): OidcConfig | null {
  if (issuer !== undefined && clientId !== undefined && clientSecret !== undefined) {
    return { issuer, clientId, clientSecret, name: oidcName ?? new URL(issuer).host };
  }
  if (issuer === undefined && clientId === undefined && clientSecret === undefined && oidcName === undefined) return null;
  throw new ConfigurationError(["OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are set together: sign-in by OpenID needs all three"]);
}

type OidcValues = Record<"oidcIssuer" | "oidcClientId" | "oidcClientSecret" | "oidcName", string | undefined>;

const variables = {
  host: withDefault(hostVariable("HOST"), "127.0.0.1"),
  port: withDefault(portVariable("ADMIN_PORT"), 4001),
  gatewayPort: withDefault(portVariable("GATEWAY_PORT"), 4000),
  sandboxPort: withDefault(portVariable("SANDBOX_PORT"), 4002),
  databaseUrl: required(databaseUrlVariable("DATABASE_URL"), "the database that the gateway uses too"),
  masterKey: required(masterKeyVariable("MASTER_KEY"), "the key that encrypts secrets at rest, the same for every part"),
  masterKeyOld: masterKeyVariable("MASTER_KEY_OLD"),
  platformUrl: httpUrlVariable("PLATFORM_API_URL"),
  sandboxControlToken: textVariable("SANDBOX_CONTROL_TOKEN"),
  publicGatewayUrl: httpUrlVariable("PUBLIC_GATEWAY_URL"),
  publicAdminUrl: httpUrlVariable("PUBLIC_ADMIN_URL"),
  trustProxy: flagVariable("TRUST_PROXY"),
  email: emailVariable("ADMIN_EMAIL"),
  password: passwordVariable("ADMIN_PASSWORD"),
  allowPrivate: networksVariable("WEBHOOK_ALLOW_PRIVATE"),
  allowSignUp: flagVariable("ALLOW_SIGNUP"),
  allowedHosts: withDefault(hostsVariable("ALLOWED_HOSTS"), []),
  setupCode: textVariable("SETUP_CODE"),
  oidcIssuer: issuerVariable("OIDC_ISSUER"),
  oidcClientId: textVariable("OIDC_CLIENT_ID"),
  oidcClientSecret: textVariable("OIDC_CLIENT_SECRET"),
  oidcName: textVariable("OIDC_NAME"),
  logLevel: withDefault(choiceVariable("LOG_LEVEL", logLevels), "info"),
};

function issuerVariable(name: string): Variable<string | undefined> {
  return variable(name, (text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && createHostCheck([])(url.host));
    if (url === null || !isSafe || url.search !== "" || url.hash !== "" || url.username !== "") {
      throw new Error(`must be an https address (http on this machine alone), not ${JSON.stringify(text)}`);
    }
    return text;
  });
}

function emailVariable(name: string): Variable<string | undefined> {
  return variable(name, (text) => {
    const email = emailSchema.safeParse(text);
    if (!email.success) throw new Error(`must be an e-mail address, not ${JSON.stringify(text)}`);
    return email.data;
  });
}

function passwordVariable(name: string): Variable<string | undefined> {
  return variable(name, (text) => {
    if (!newPasswordSchema.safeParse(text).success) throw new Error("must have 10 to 200 characters");
    if (isCommonPassword(text)) throw new Error("is one of the most common passwords: choose another");
    return text;
  });
}

function urlOf(host: string, port: number): string {
  return `http://${dialable(host)}:${port}`;
}
