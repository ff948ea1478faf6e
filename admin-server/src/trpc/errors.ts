import { TRPCError, type TRPCDefaultErrorShape } from "@trpc/server";
import postgres from "postgres";
import { describeReason, type Reason } from "shared/core/reason";
import { messageAtPlace, placeOf, shorten } from "shared/core/text";
import { findRule, type Said, SaidError, say, write } from "shared/core/wording";
import { AccountArrives } from "shared/db/account";
import { isDatabaseAway, isLockTimeout } from "shared/db/statement";
import { z } from "zod";

export interface InputIssue {
  path: (string | number)[];
  code: string;
  message: string;
  /** The broken rule as data, where there is one. */
  reason?: Reason | undefined;
  /** The message as data, where it is ours. */
  said?: Said | undefined;
}

/** A refusal of a call: a sentence in English and as data. Nothing else makes a TRPCError. */
export class Refusal extends TRPCError {
  readonly said: Said;
  constructor(code: TRPCError["code"], said: Said, cause?: unknown) {
    super({ code, message: write(said), cause });
    this.said = said;
  }
}

/** Procedures that are gone, and what callers ask instead. */
const successors = new Map([
  ["sites.diagnose", "problems.list"],
  ["sites.unreadable", "problems.list with the kind secret_unreadable"],
  ["stats.unreached", "problems.list with the kind nobody_reached"],
  ["stats.silentSites", "problems.list with the kind site_silent"],
]);

/** Adds the issues of a refused input, the step that ends a refusal and what stands now, and hides the details of internal errors. */
export function formatError({ shape, error, path }: { shape: TRPCDefaultErrorShape; error: TRPCError; path?: string | undefined }) {
  const issues = error.code === "BAD_REQUEST" ? issuesOf(error.cause) : null;
  const reason = error.cause instanceof StepNeeded ? error.cause.told : null;
  const said = error instanceof Refusal ? error.said : error.code === "INTERNAL_SERVER_ERROR" ? wentWrong : null;
  const { current, by: changedBy, name: changedByName } = error.cause instanceof Outdated ? error.cause.told : nothingChanged;
  const gone = error.cause instanceof Gone ? error.cause.told : null;
  const successor = path !== undefined && error.code === "NOT_FOUND" ? successors.get(path) : undefined;
  return {
    ...shape,
    message: successor === undefined ? messageOf(shape, error, issues) : `${path} is gone: call ${successor}`,
    data: { ...shape.data, issues, reason, said, current, changedBy, changedByName, gone },
  };
}

const nothingChanged = { current: null, by: null, name: null };

/** The cause of a refusal that tells more than its sentence. */
class Cause<Told> extends Error {
  override readonly name = "Cause";
  readonly told: Told;
  constructor(told: Told) {
    super("more than a sentence is told");
    this.told = told;
  }
}

/**
 * The cause of a refusal that ends once the caller has done something, which `data.reason` names: `confirm` who they are, set up a
 * `second_factor`, come from another `address`, open the link that was mailed to their `email`, or sign in as the person whom the page is of (`other_person`).
 */
export class StepNeeded extends Cause<"confirm" | "second_factor" | "address" | "email" | "other_person"> {}

/** The cause of a refusal that ends by itself; its seconds become Retry-After. */
export class RetryLater extends Cause<number> {}

/**
 * The cause of a refusal because somebody else has changed the object since the caller read it: the object as it stands now, as the caller may see it, `at`
 * which time it was changed, and `by` whom; null where the service changed it.
 */
export class Outdated extends Cause<{ current: object; at: Date | null; by: string | null; name: string | null }> {}

/**
 * The cause of a refusal because what the caller names, `what`, is not as they see it any more: it was deleted, or a message is in another status than it was
 * (`how`). `at` which time and `by` whom is null where nobody knows.
 */
export class Gone extends Cause<{
  what: string;
  how: string;
  id: string | null;
  at: string | null;
  by: string | null;
  name: string | null;
}> {}

/** What is gone, before it is known who has done it. */
const goneNow = (what: string, how: string) => new Gone({ what, how, id: null, at: null, by: null, name: null });

/** Refuses a change of a message that has left the status in which it may be changed. */
export const moved = (said: Said, status: string): TRPCError => new Refusal("CONFLICT", said, goneNow("notification", status));

/** The cause of a refusal because the site has an equal binding: its id. */
export class EqualBinding extends Cause<string> {}

/** The answer to an unexpected error; it tells no details. */
export const wentWrong = say("Something went wrong on the server. Try again; the server's log says more.");

function messageOf(shape: TRPCDefaultErrorShape, error: TRPCError, issues: InputIssue[] | null): string {
  if (error.code === "INTERNAL_SERVER_ERROR") return write(wentWrong);
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
  return told(cause.issues).map((given) => {
    const issue = { ...given, message: shorten(given.message, longestMessage), path: given.path.slice(0, mostLevels).map(toPathMember) };
    const { path, code, message } = issue;
    return { path, code: code ?? "custom", message, ...dataOf(issue) };
  });
}

const told = (issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] => issues.slice(0, mostIssues).flatMap(unfold).slice(0, mostIssues);

/** The faults of an input that is one of several forms: of that form which knows the most of its members, or of these the one with the fewest faults. */
function unfold(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union" || issue.message !== "Invalid input" || issue.errors.length === 0) return [issue];
  const strange = issue.errors.map((form) => form.flatMap((one) => (one.code === "unrecognized_keys" ? one.keys : [])).length);
  const forms = issue.errors.filter((_, at) => strange[at] === Math.min(...strange));
  const lacks = (form: z.core.$ZodIssue[]): boolean => form.some(({ message }) => message === "Is required");
  if (forms.length > 1 && Math.max(...strange) === 0 && forms.every(lacks)) {
    const members = forms.map((form) => form.map(({ path }) => path.join(".")).join(" + ")).join(", ");
    const said = say("Must have one of: {members}", { members });
    return [{ code: "custom", path: issue.path, message: write(said), params: { said } }];
  }
  const [best = []] = forms.toSorted((one, other) => one.length - other.length);
  return best.flatMap((one) => unfold({ ...one, path: [...issue.path, ...one.path] }));
}

/** An answer has no more of a refused input than this, whatever the input holds. */
const mostIssues = 20;
const longestMessage = 500;
const longestMember = 100;
const mostLevels = 20;

/** The data of an issue: our schemas and `invalidInput` carry it in `params`; for other messages of schemas it is found by their words. */
function dataOf(issue: z.core.$ZodIssue): Pick<InputIssue, "reason" | "said"> {
  const { reason, said = findRule(messageAtPlace(issue)) }: Pick<InputIssue, "reason" | "said"> =
    issue.code === "custom" ? (issue.params ?? {}) : {};
  return { reason, said };
}

const toPathMember = (member: PropertyKey): string | number =>
  typeof member === "number" ? member : shorten(String(member), longestMember);

const noSuch = (what: string): TRPCError =>
  new Refusal("NOT_FOUND", { text: `There is no such ${what}`, values: {} }, /^\w+$/.test(what) ? goneNow(what, "deleted") : undefined);

/** Also the answer for another account's objects. `what` is a literal: the texts of the dashboard have one for each. */
export const notFound = noSuch;

/** Refuses what was looked up and is not there: `(await find…) ?? absent("site")`. @throws TRPCError NOT_FOUND */
export function absent(what: string): never {
  throw noSuch(what);
}

/** A refusal that ends by itself. */
const later = (code: TRPCError["code"], seconds: number, said: Said): TRPCError => new Refusal(code, said, new RetryLater(seconds));

export const tooMany = (seconds: number, said: Said): TRPCError => later("TOO_MANY_REQUESTS", seconds, said);

const unavailable = (seconds: number, said: Said): TRPCError => later("SERVICE_UNAVAILABLE", seconds, said);

export function tooManyTries(seconds: number): TRPCError {
  const minutes = Math.ceil(seconds / 60);
  const said =
    seconds < 90
      ? say("Too many wrong attempts: wait {seconds, plural, one {# second} other {# seconds}} and try again", { seconds })
      : say("Too many wrong attempts: wait {minutes, plural, one {# minute} other {# minutes}} and try again", { minutes });
  return tooMany(seconds, said);
}

export const tooManyOfMinute = (what: Said, most: number): TRPCError =>
  tooMany(60, say("At most {most} {what} a minute: wait a little and try again", { most, what }));

export const tooBusy = (): TRPCError => unavailable(3, say("Too many sign-ins right now: try again in a few seconds"));

export const tooManyChanges = (): TRPCError =>
  unavailable(3, say("Too many changes are waiting: try again in a few seconds, with fewer at once"));

export const tooManyPlans = (): TRPCError => unavailable(60, say("Too many plans of earlier events are waiting: try again in a minute"));

/** The refusal of a caller from an address from which the account lets nobody in. */
export const notFromHere = (address: string): TRPCError =>
  new Refusal(
    "FORBIDDEN",
    say("This account does not allow access from {address}: use a network that its owner allows", {
      address: address || say("an unknown address"),
    }),
    new StepNeeded("address"),
  );

/** A refusal whose sentence tells the obstacle and the remedy. */
export const conflict = (text: string, values: Said["values"] = {}): TRPCError => new Refusal("CONFLICT", { text, values });

/**
 * Refuses a change to what somebody else has changed since the caller read it, if the caller tells what they have read. The object cannot change until the
 * end of the transaction: the changes of an account wait for each other, see `lockForAudit`. @throws TRPCError CONFLICT
 */
export async function requireUnchanged(
  stored: { updated_at: Date },
  { ifUpdatedAt }: { ifUpdatedAt?: Date | undefined },
  present: () => object | Promise<object>,
): Promise<void> {
  if (ifUpdatedAt === undefined || ifUpdatedAt.getTime() === stored.updated_at.getTime()) return;
  throw outdated(await present(), stored.updated_at);
}

/** The same for a value without a version: `seen` is what the caller has read. @throws TRPCError CONFLICT */
export function requireSeen<Value>(stored: Value, seen: Value | undefined, current: object): void {
  if (seen !== undefined && seen !== stored) throw outdated(current, null);
}

const outdated = (current: object, at: Date | null): TRPCError =>
  new Refusal(
    "CONFLICT",
    say("Someone else has changed it since you opened it: compare both versions, then save again"),
    new Outdated({ current, at, by: null, name: null }),
  );

/** The reason why one of several things was refused, in English and, where it is one sentence, as data. Throws errors that are no refusals. */
export function refusalIn(error: unknown): { refused: string; said: Said | null } {
  if (!(error instanceof TRPCError) || (error.code !== "CONFLICT" && error.code !== "BAD_REQUEST")) throw error;
  const issues = issuesOf(error.cause);
  const said = issues === null ? (error instanceof Refusal ? error.said : null) : issues.length === 1 ? (issues[0]?.said ?? null) : null;
  return { refused: issues?.map(({ message }) => message).join("; ") ?? error.message, said };
}

/** A fault of one member of an input: a sentence, or a broken rule. */
export type InputProblem = { path: (string | number)[] } & ({ said: Said } | { reason: Reason });

/** BAD_REQUEST in the form of a schema's refusal, for rules that a schema cannot check alone. */
export const invalidInput = (problems: readonly InputProblem[]): TRPCError =>
  badRequest(
    problems.slice(0, mostIssues).map((problem) => {
      const message = "said" in problem ? write(problem.said) : describeReason(problem.reason);
      return { path: problem.path, message, params: "said" in problem ? { said: problem.said } : { reason: problem.reason } };
    }),
  );

/** The refusal of an input by a schema that is no procedure's own. */
export const refusedInput = (issues: readonly z.core.$ZodIssue[], place: (string | number)[] = []): TRPCError =>
  badRequest(told(issues).map((one) => ({ path: [...place, ...one.path.map(toPathMember)], message: one.message, params: dataOf(one) })));

function badRequest(all: { path: (string | number)[]; message: string; params: object }[]): TRPCError {
  const issues = all.map((issue) => ({ ...issue, message: shorten(issue.message, longestMessage) }));
  const cause = new z.ZodRealError(issues.map((issue) => ({ code: "custom", input: undefined, ...issue })));
  return new TRPCError({
    code: "BAD_REQUEST",
    message: issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`)).join("; "),
    cause,
  });
}

/** The refusal of a part of an input, at its place; `what` begins a message that names no member. */
export function refusedAt(error: TRPCError, place: (string | number)[], what: string): TRPCError {
  const { code, cause } = error;
  if (cause instanceof z.core.$ZodError) return refusedInput(cause.issues, place);
  return new Refusal(code, say("{what}: {why}", { what, why: error instanceof Refusal ? error.said : error.message }), cause);
}

/** Answers for PostgreSQL errors, by SQLSTATE. */
const translations: Record<string, [TRPCError["code"], Said]> = {
  /** unique_violation */
  "23505": ["CONFLICT", say("This exists already")],
  /** foreign_key_violation */
  "23503": ["CONFLICT", say("It is still in use, or the item it belongs to was deleted meanwhile")],
  /** character_not_in_repertoire: PostgreSQL's text takes no NUL character */
  "22021": ["BAD_REQUEST", say("A text contains a character that cannot be stored (U+0000)")],
  /** numeric_value_out_of_range */
  "22003": ["BAD_REQUEST", say("A number is out of range")],
  /** datetime_field_overflow, and invalid_time_zone_displacement_value for a year of five digits */
  "22008": ["BAD_REQUEST", say("A time is out of range")],
  "22009": ["BAD_REQUEST", say("A time is out of range")],
  /** serialization_failure */
  "40001": ["CONFLICT", say("Someone else changed it at the same time: try again")],
  /** deadlock_detected */
  "40P01": ["CONFLICT", say("Someone else changed it at the same time: try again")],
};

/** The database's code for a change of an account that leaves for another installation, or has left. */
const movingCode = "MV503";

export const accountMoves = (): TRPCError => unavailable(5, say("The account moves to another installation: try again in a few seconds"));

const away = say("The database is not available now: try again in a few seconds");

/** Turns known errors of the database, and those whose message is for people, into answers; other errors stay as they are. */
export function translateError(error: TRPCError): TRPCError {
  const { cause } = error;
  if (cause instanceof SaidError) return new Refusal("CONFLICT", cause.said, cause);
  if (cause instanceof AccountArrives || (cause instanceof postgres.PostgresError && cause.code === movingCode)) return accountMoves();
  const translation = cause instanceof postgres.PostgresError ? translations[cause.code] : undefined;
  if (translation !== undefined) return new Refusal(...translation, cause);
  // Another server makes a change of the account that takes long.
  if (isLockTimeout(cause)) return tooManyChanges();
  return isDatabaseAway(cause) ? new Refusal("SERVICE_UNAVAILABLE", away, cause) : error;
}
