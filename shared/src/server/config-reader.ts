import { ConfigurationError } from "./configuration-error.ts";

/** One environment variable: its name and how its text becomes a value. `read` throws an Error whose message completes "NAME …". */
export interface Variable<T> {
  readonly name: string;
  readonly read: (text: string | undefined) => T;
}

export type Environment = Readonly<Record<string, string | undefined>>;

type Values<V> = { [K in keyof V]: V[K] extends Variable<infer T> ? T : never };

/**
 * Reads every variable and answers their values under the same member names. Empty counts as unset.
 * Throws one `ConfigurationError` with a line for each variable that is wrong.
 */
export const readConfig = <const V extends Readonly<Record<string, Variable<unknown>>>>(
  environment: Environment,
  variables: V,
): Values<V> => {
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
};

/** The variable with a value for when it is unset. */
export const withDefault = <T>(variable: Variable<T | undefined>, value: T): Variable<T> => ({
  name: variable.name,
  read: (text) => variable.read(text) ?? value,
});

/** The variable, which must be set; `why` says what it is for. */
export const required = <T>(variable: Variable<T | undefined>, why: string): Variable<T> => ({
  name: variable.name,
  read: (text) => {
    const value = variable.read(text);
    if (value === undefined) throw new Error(`must be set: ${why}`);
    return value;
  },
});

/** A variable whose text is parsed when it is set. */
export const variable = <T>(name: string, parse: (text: string) => T): Variable<T | undefined> => ({
  name,
  read: (text) => (text === undefined ? undefined : parse(text)),
});

/** Whether a script of package.json started this process, or one that it started. */
export const isStartedByNpm = (): boolean => process.env["npm_lifecycle_event"] !== undefined;
