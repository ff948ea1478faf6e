import { TRPCError, type TRPCDefaultErrorShape } from "@trpc/server";
import postgres from "postgres";
import type { Reason } from "shared/core/reason";
import { placeOf } from "shared/core/text";
import { isDatabaseAway } from "shared/db/transaction";
import { VaultError } from "shared/secrets/vault";
import { z } from "zod";

export interface InputIssue {
  path: (string | number)[];
  code: string;
  message: string;
  /** The broken rule as data, where there is one. */
  reason?: Reason | undefined;
}

/** Adds the issues of a refused input and what ends a refusal, and hides the details of internal errors. */
export function formatError({ shape, error }: { shape: TRPCDefaultErrorShape; error: TRPCError }) {
  const issues = error.code === "BAD_REQUEST" ? issuesOf(error.cause) : null;
  const reason = error.cause instanceof StepNeeded ? error.cause.reason : null;
  return { ...shape, message: messageOf(shape, error, issues), data: { ...shape.data, issues, reason } };
}

/**
 * The cause of a refusal that ends once the caller has done something, which `data.reason` names: `confirm` who they are, set up a
 * `second_factor`, or come from another `address`.
 */
export class StepNeeded extends Error {
  override readonly name = "StepNeeded";
  readonly reason: "confirm" | "second_factor" | "address";
  constructor(reason: StepNeeded["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

function messageOf(shape: TRPCDefaultErrorShape, error: TRPCError, issues: InputIssue[] | null): string {
  if (error.code === "INTERNAL_SERVER_ERROR") return "Something went wrong on the server. Try again; the server's log says more.";
  if (issues === null) return shape.message;
  return issues.map(placed).join("; ");
}

/** Puts the path before the message, unless the message begins with the path's end already. */
function placed({ path, message }: InputIssue): string {
  const place = placeOf(path);
  const own = message.slice(0, Math.max(0, message.indexOf(": ")));
  return place === "" || (own !== "" && `.${place}`.endsWith(`.${own}`)) ? message : `${place}: ${message}`;
}

function issuesOf(cause: unknown): InputIssue[] | null {
  if (!(cause instanceof z.core.$ZodError)) return null;
  return cause.issues.map((issue) => {
    const { path, code, message } = issue;
    return { path: path.map(toPathMember), code: code ?? "custom", message, reason: reasonOf(issue) };
  });
}

/** Our schemas and `invalidInput` carry the reason in an issue's `params`. */
export const reasonOf = (issue: z.core.$ZodIssue): Reason | undefined =>
  issue.code === "custom" ? (issue.params as { reason?: Reason } | undefined)?.reason : undefined;

const toPathMember = (member: PropertyKey): string | number => (typeof member === "symbol" ? String(member) : member);

/** Also the answer for another account's objects. */
export const notFound = (what: string): TRPCError => new TRPCError({ code: "NOT_FOUND", message: `There is no such ${what}` });

/** The cause of a refusal that ends by itself; its seconds become Retry-After. */
export class RetryLater extends Error {
  override readonly name = "RetryLater";
  readonly seconds: number;
  constructor(seconds: number) {
    super(`try again in ${seconds} s`);
    this.seconds = seconds;
  }
}

export function tooManyTries(seconds: number): TRPCError {
  const [count, unit] = seconds < 90 ? [seconds, "second"] : [Math.ceil(seconds / 60), "minute"];
  const message = `Too many wrong attempts: wait ${count} ${unit}${count === 1 ? "" : "s"} and try again`;
  return new TRPCError({ code: "TOO_MANY_REQUESTS", message, cause: new RetryLater(seconds) });
}

export const tooManyOfMinute = (what: string, most: number): TRPCError =>
  new TRPCError({
    code: "TOO_MANY_REQUESTS",
    message: `At most ${most} ${what} a minute: wait a little and try again`,
    cause: new RetryLater(60),
  });

export const tooBusy = (): TRPCError =>
  new TRPCError({
    code: "SERVICE_UNAVAILABLE",
    message: "Too many sign-ins right now: try again in a few seconds",
    cause: new RetryLater(3),
  });

export const tooManyChanges = (): TRPCError =>
  new TRPCError({
    code: "SERVICE_UNAVAILABLE",
    message: "Too many changes are waiting: try again in a few seconds, with fewer at once",
    cause: new RetryLater(3),
  });

/** To who calls from where the account lets nobody in. */
export const notFromHere = (address: string): TRPCError =>
  new TRPCError({
    code: "FORBIDDEN",
    message: `This account does not allow access from ${address || "an unknown address"}: use a network that its owner allows`,
    cause: new StepNeeded("address"),
  });

/** `message` says what is in the way and what to do. */
export const conflict = (message: string): TRPCError => new TRPCError({ code: "CONFLICT", message });

/** The cause of a refusal because the site has an equal binding. */
export class EqualBinding extends Error {
  override readonly name = "EqualBinding";
  readonly bindingId: string;
  constructor(bindingId: string) {
    super(bindingId);
    this.bindingId = bindingId;
  }
}

/** Why one of several things was refused. Throws again what is no refusal. */
export function refusalIn(error: unknown): string {
  if (!(error instanceof TRPCError) || (error.code !== "CONFLICT" && error.code !== "BAD_REQUEST")) throw error;
  return (
    issuesOf(error.cause)
      ?.map(({ message }) => message)
      .join("; ") ?? error.message
  );
}

export interface InputProblem {
  path: (string | number)[];
  message: string;
  reason?: Reason | undefined;
}

/** BAD_REQUEST in the form of a schema's refusal, for rules that a schema cannot check alone. */
export function invalidInput(problems: readonly InputProblem[]): TRPCError {
  const cause = new z.ZodRealError(
    problems.map(({ path, message, reason }) => ({ code: "custom", path, message, input: undefined, params: { reason } })),
  );
  return new TRPCError({
    code: "BAD_REQUEST",
    message: problems.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "),
    cause,
  });
}

type Translation = Pick<TRPCError, "code" | "message">;

/** Answers for PostgreSQL errors, by SQLSTATE. */
const translations: Record<string, Translation> = {
  /** unique_violation */
  "23505": { code: "CONFLICT", message: "This exists already" },
  /** foreign_key_violation */
  "23503": { code: "CONFLICT", message: "It is still in use, or the item it belongs to was deleted meanwhile" },
  /** character_not_in_repertoire: PostgreSQL's text takes no NUL character */
  "22021": { code: "BAD_REQUEST", message: "A text contains a character that cannot be stored (U+0000)" },
  /** numeric_value_out_of_range */
  "22003": { code: "BAD_REQUEST", message: "A number is out of range" },
  /** datetime_field_overflow, and invalid_time_zone_displacement_value for a year of five digits */
  "22008": { code: "BAD_REQUEST", message: "A time is out of range" },
  "22009": { code: "BAD_REQUEST", message: "A time is out of range" },
  /** serialization_failure */
  "40001": { code: "CONFLICT", message: "Someone else changed it at the same time: try again" },
  /** deadlock_detected */
  "40P01": { code: "CONFLICT", message: "Someone else changed it at the same time: try again" },
};

const away: Translation = { code: "SERVICE_UNAVAILABLE", message: "The database is not available now: try again in a few seconds" };

/** Turns known errors of the database and the vault into answers; other errors stay as they are. */
export function translateError(error: TRPCError): TRPCError {
  const { cause } = error;
  if (cause instanceof VaultError) return new TRPCError({ code: "CONFLICT", message: cause.message, cause });
  const translation = cause instanceof postgres.PostgresError ? translations[cause.code] : undefined;
  if (translation !== undefined) return new TRPCError({ ...translation, cause });
  return isDatabaseAway(cause) ? new TRPCError({ ...away, cause }) : error;
}
