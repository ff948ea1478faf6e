import { BlockList, isIP } from "node:net";
import { ConfigurationError } from "./configuration-error.ts";
import { dialable } from "./http-server.ts";
import { logLevels } from "./logger.ts";

/** Reads the text of a variable, or throws an Error whose message continues after the variable's name. */
export const parse = {
  text: (text: string): string => text,

  /** A whole number from `least` to `most`. */
  integer: (least: number, most: number) => (text: string) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new Error(`must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
    return value;
  },

  /** 0 takes any free port. */
  port: (text: string): number => parse.integer(0, 65_535)(text),

  /** An address to listen on; URLs hold the address to dial. */
  host: (text: string) => {
    if (/[^\w.:-]/.test(text) || !URL.canParse(`http://${dialable(text)}`))
      throw new Error(`must be an address of this machine like 127.0.0.1 or 0.0.0.0, not ${JSON.stringify(text)}`);
    return text;
  },

  /** Comma-separated names and addresses, without ports. */
  hosts: (text: string) => {
    const hosts = text.split(",").map((host) => host.trim());
    const wrong = hosts.find((host) => /[^\w.:-]/.test(host) || !URL.canParse(`http://${dialable(host)}`));
    if (wrong !== undefined) throw new Error(`must be a list of names like tidings.example,10.0.0.5; ${JSON.stringify(wrong)} is none`);
    return hosts;
  },

  /** `1` is true, and `0` false. */
  flag: (text: string) => {
    if (text !== "0" && text !== "1") throw new Error(`must be 1 or unset, not ${JSON.stringify(text)}`);
    return text === "1";
  },

  oneOf:
    <const C extends string>(choices: readonly C[]) =>
    (text: string) => {
      const choice = choices.find((one) => one === text);
      if (choice === undefined) throw new Error(`must be one of ${choices.join(", ")}, not ${JSON.stringify(text)}`);
      return choice;
    },

  /** An `http` or `https` base URL, without its trailing slashes. */
  httpUrl: (text: string) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !["http:", "https:"].includes(url.protocol) || url.search !== "" || url.hash !== "")
      throw new Error(`must be an address like https://example.com, not ${JSON.stringify(text)}`);
    return text.replace(/(?<!\/)\/+$/, "");
  },

  /** A `postgres://` URL. Messages never repeat it: it holds a password. */
  databaseUrl: (text: string) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !["postgres:", "postgresql:"].includes(url.protocol))
      throw new Error("must be an address like postgres://user:password@host:5432/database");
    return text;
  },

  /** 32 bytes in base64 or base64url, padded or not. Messages never repeat it. */
  masterKey: (text: string): Buffer => {
    const key = Buffer.from(text, "base64");
    if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text) || key.length !== 32)
      throw new Error('must be 32 bytes in base64; make one with "openssl rand -base64 32"');
    return key;
  },

  /** Comma-separated networks such as `10.0.0.0/8,::1/128`. */
  networks: (text: string) => {
    const list = new BlockList();
    for (const network of text.split(",")) {
      const [address = "", prefix = ""] = network.trim().split("/");
      const family = isIP(address);
      const bits = Number(prefix);
      if (family === 0 || !/^\d+$/.test(prefix) || bits > (family === 4 ? 32 : 128))
        throw new Error(`must be a list of networks like 10.0.0.0/8,::1/128; ${JSON.stringify(network.trim())} is none`);
      list.addSubnet(address, bits, family === 4 ? "ipv4" : "ipv6");
    }
    return list;
  },
};

/** One environment variable. `read` makes its text a value, or throws an Error whose message continues after the variable's name. */
export interface Variable<T> {
  readonly name: string;
  readonly read: (text: string | undefined) => T;
}

export type Environment = Readonly<Record<string, string | undefined>>;

type Values<V> = { [K in keyof V]: V[K] extends Variable<infer T> ? T : never };

/** Reads every variable; answers the values by the same member names. Empty counts as unset. Throws one `ConfigurationError`, a line for each that is wrong. */
export function readConfig<const V extends Readonly<Record<string, Variable<unknown>>>>(environment: Environment, variables: V): Values<V> {
  const problems: string[] = [];
  const entries = Object.entries(variables).map(([member, variable]) => {
    try {
      return [member, variable.read(environment[variable.name]?.trim() || undefined)] as const;
    } catch (error) {
      problems.push(`${variable.name} ${error instanceof Error ? error.message : String(error)}`);
      return [member, undefined] as const;
    }
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return Object.fromEntries(entries) as Values<V>;
}

/** The variable with a default value. */
export const withDefault = <T>(variable: Variable<T | undefined>, value: T): Variable<T> => ({
  name: variable.name,
  read: (text) => variable.read(text) ?? value,
});

/** The variable, which must be set; `why` completes the message when it is not. */
export const required = <T>(variable: Variable<T | undefined>, why: string): Variable<T> => ({
  name: variable.name,
  read: (text) => {
    const value = variable.read(text);
    if (value === undefined) throw new Error(`must be set: ${why}`);
    return value;
  },
});

/** A variable whose text is parsed when it is set. */
export function variable<T>(name: string, parse: (text: string) => T): Variable<T | undefined> {
  return { name, read: (text) => (text === undefined ? undefined : parse(text)) };
}

/** What every part reads. */
export const variablesOfParts = {
  host: withDefault(variable("HOST", parse.host), "127.0.0.1"),
  /** Further names under which the part answers. */
  allowedHosts: withDefault(variable("ALLOWED_HOSTS", parse.hosts), []),
  logLevel: withDefault(variable("LOG_LEVEL", parse.oneOf(logLevels)), "info"),
};

/** What gateways and admin servers read. */
export const variablesOfServers = {
  ...variablesOfParts,
  /** The former master key, while they are being rotated. */
  masterKeyOld: variable("MASTER_KEY_OLD", parse.masterKey),
  sandboxPort: withDefault(variable("SANDBOX_PORT", parse.port), 4002),
  /** The sandbox of test sites, where it is not at `sandboxPort` of the same machine. */
  sandboxUrl: variable("SANDBOX_URL", parse.httpUrl),
  /** The name of this installation, which its keys and addresses hold; undefined where it is the only one, or the default of several. */
  cell: variable("CELL", (text) => {
    if (!/^[a-z0-9]{1,8}$/.test(text)) throw new Error(`must be 1 to 8 of a to z and 0 to 9, not ${JSON.stringify(text)}`);
    return text;
  }),
  publicGatewayUrl: variable("PUBLIC_GATEWAY_URL", parse.httpUrl),
  publicAdminUrl: variable("PUBLIC_ADMIN_URL", parse.httpUrl),
  /** Private networks that user-entered URLs may reach. */
  allowPrivate: variable("WEBHOOK_ALLOW_PRIVATE", parse.networks),
  metricsPort: variable("METRICS_PORT", parse.port),
  metricsHost: variable("METRICS_HOST", parse.host),
  /** The client's address is the last one in `X-Forwarded-For`. */
  trustProxy: withDefault(variable("TRUST_PROXY", parse.flag), false),
};

/** Whether a script of package.json started this process or one of its parents. */
export const isStartedByNpm = (): boolean => process.env["npm_lifecycle_event"] !== undefined;
