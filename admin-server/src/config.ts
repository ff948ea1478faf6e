import { newPasswordSchema } from "shared/core/input/team";
import { emailSchema, nameSchema } from "shared/core/input/values";
import { isCommonPassword } from "shared/guessable-password";
import type { MetricsAddress } from "shared/metrics/metrics";
import { type Environment, parse, readConfig, required, variable, variablesOfServers, withDefault } from "shared/server/config";
import { ConfigurationError } from "shared/server/configuration-error";
import { createHostCheck } from "shared/server/hosts";
import { dialable } from "shared/server/http-server";

type Settings = ReturnType<typeof readAdminConfig>;
type Unset = "databaseReadUrl" | "masterKeyOld" | "sandboxUrl" | "cell" | keyof MetricsAddress;
export type AdminConfig = Omit<Settings, Unset> & Partial<Pick<Settings, Unset>>;

export type MailConfig = NonNullable<Settings["mail"]>;

export type OidcConfig = NonNullable<ReturnType<typeof oidcOf>>;

/** Reads the environment. Throws `ConfigurationError` with a line for each variable that is wrong. */
export function readAdminConfig(environment: Environment = process.env) {
  const { email, password, gatewayPort, sandboxPort, smtp, mailFrom, oidcIssuer, oidcClientId, oidcClientSecret, oidcName, ...plain } =
    readConfig(environment, variables);
  const { host, port, platformUrl, sandboxUrl } = plain;
  if ((email === undefined) !== (password === undefined))
    throw new ConfigurationError([`${email === undefined ? "ADMIN_EMAIL" : "ADMIN_PASSWORD"} must be set too: the first owner needs both`]);
  return {
    ...plain,
    /** The platform's base URL: the sandbox's when none is configured. */
    platformUrl: platformUrl ?? sandboxUrl ?? urlOf(host, sandboxPort),
    isSandbox: platformUrl === undefined || platformUrl === sandboxUrl,
    /** The token for the sandbox's own calls; null: it is not configured. */
    sandboxControlToken: plain.sandboxControlToken ?? null,
    publicGatewayUrl: plain.publicGatewayUrl ?? urlOf(host, gatewayPort),
    publicAdminUrl: plain.publicAdminUrl ?? urlOf(host, port),
    /** The user that is created at start while there is none. */
    firstOwner: email === undefined || password === undefined ? null : { email, password },
    /** Private networks that user-entered URLs may reach. */
    allowPrivate: plain.allowPrivate ?? null,
    /** The code for the first sign-up from another machine. */
    setupCode: plain.setupCode ?? null,
    /** Null where nobody signs in by an OpenID issuer. */
    oidc: oidcOf({ oidcIssuer, oidcClientId, oidcClientSecret, oidcName }),
    /** Null where the server sends no e-mail. */
    mail: smtp === undefined ? null : { ...smtp, from: mailFrom ?? noSender() },
  };
}

type OidcValues = Record<"oidcIssuer" | "oidcClientId" | "oidcClientSecret" | "oidcName", string | undefined>;

/** `name`: the issuer's on the sign-in page. */
function oidcOf({ oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcName }: OidcValues) {
  if (issuer !== undefined && clientId !== undefined && clientSecret !== undefined)
    return { issuer, clientId, clientSecret, name: oidcName ?? new URL(issuer).host };
  if (issuer === undefined && clientId === undefined && clientSecret === undefined && oidcName === undefined) return null;
  throw new ConfigurationError(["OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are set together: sign-in by OpenID needs all three"]);
}

const noSender = (): never => {
  throw new ConfigurationError(["MAIL_FROM must be set too: e-mails by SMTP_URL need a sender"]);
};

/** What an admin server reads of its environment. */
export const variables = {
  ...variablesOfServers,
  port: withDefault(variable("ADMIN_PORT", parse.port), 4001),
  gatewayPort: withDefault(variable("GATEWAY_PORT", parse.port), 4000),
  databaseUrl: required(variable("DATABASE_URL", parse.databaseUrl), "the database that the gateway uses too"),
  /** A streaming replica of it, for lists, searches and statistics; undefined: there is none. */
  databaseReadUrl: variable("DATABASE_READ_URL", parse.databaseUrl),
  masterKey: required(variable("MASTER_KEY", parse.masterKey), "the key that encrypts secrets at rest, the same for every part"),
  platformUrl: variable("PLATFORM_API_URL", parse.httpUrl),
  sandboxControlToken: variable("SANDBOX_CONTROL_TOKEN", parse.text),
  email: variable("ADMIN_EMAIL", parseEmail),
  password: variable("ADMIN_PASSWORD", parsePassword),
  /** Where PagerDuty takes events: another address for its service region in the EU. */
  pagerDutyUrl: withDefault(variable("PAGERDUTY_EVENTS_URL", parseSafeUrl), "https://events.pagerduty.com/v2/enqueue"),
  /** Everybody may open an account of their own. */
  allowSignUp: withDefault(variable("ALLOW_SIGNUP", parse.flag), false),
  setupCode: variable("SETUP_CODE", parse.text),
  oidcIssuer: variable("OIDC_ISSUER", parseSafeUrl),
  oidcClientId: variable("OIDC_CLIENT_ID", parse.text),
  oidcClientSecret: variable("OIDC_CLIENT_SECRET", parse.text),
  oidcName: variable("OIDC_NAME", parse.text),
  smtp: variable("SMTP_URL", parseSmtp),
  mailFrom: variable("MAIL_FROM", parseSender),
};

/** Reads an address that secrets go to. */
function parseSafeUrl(text: string) {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && createHostCheck([])(url.host));
  if (url === null || !isSafe || url.search !== "" || url.hash !== "" || url.username !== "")
    throw new Error(`must be an https address (http on this machine alone), not ${JSON.stringify(text)}`);
  return text;
}

/** Reads an SMTP URL. Messages never repeat it: it may hold a password. */
function parseSmtp(text: string) {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isWhole = url !== null && url.hostname !== "" && ["", "/"].includes(url.pathname) && url.search === "" && url.hash === "";
  const login = url === null ? null : loginOf(url);
  if (!isWhole || !["smtp:", "smtps:"].includes(url.protocol) || login === undefined)
    throw new Error("must be an address like smtp://user:password@mail.example.com:587, or smtps:// for TLS from the start");
  /** True: TLS from the start; false: STARTTLS if the server offers it. */
  const secure = url.protocol === "smtps:";
  return { host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(url.port) || (secure ? 465 : 587), secure, login };
}

/** Null when there is none, undefined when it cannot be read. */
function loginOf({ username, password }: URL) {
  if (username === "" && password === "") return null;
  try {
    const login = { user: decodeURIComponent(username), password: decodeURIComponent(password) };
    return login.user === "" || login.password === "" ? undefined : login;
  } catch {
    return undefined;
  }
}

/** Reads a sender: `alerts@example.com`, or `Tidings <alerts@example.com>`. */
function parseSender(text: string) {
  const at = text.endsWith(">") ? text.lastIndexOf("<") : -1;
  const address = emailSchema.safeParse(at === -1 ? text : text.slice(at + 1, -1));
  const called = nameSchema.safeParse(at === -1 ? "Tidings" : text.slice(0, at).replaceAll('"', ""));
  if (address.success && called.success) return { name: called.data, address: address.data };
  throw new Error(`must be an e-mail address, or a name and one as in Tidings <alerts@example.com>, not ${JSON.stringify(text)}`);
}

function parseEmail(text: string) {
  const email = emailSchema.safeParse(text);
  if (!email.success) throw new Error(`must be an e-mail address, not ${JSON.stringify(text)}`);
  return email.data;
}

function parsePassword(text: string) {
  if (!newPasswordSchema.safeParse(text).success) throw new Error("must have 10 to 200 characters");
  if (isCommonPassword(text)) throw new Error("is one of the most common passwords: choose another");
  return text;
}

const urlOf = (host: string, port: number): string => `http://${dialable(host)}:${port}`;
