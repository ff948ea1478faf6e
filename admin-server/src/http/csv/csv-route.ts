import { pipeline, Readable } from "node:stream";
import { stringify } from "csv-stringify";
import type { Context as KoaContext, Middleware } from "koa";
import type { Role } from "shared/core/role";
import type { z } from "zod";
import type { AdminContext } from "../../context.ts";
import type { Caller } from "../../session/caller.ts";
import { requireRole } from "../../trpc/require-role.ts";
import { answerRefusal } from "../answer-refusal.ts";
import { requestContext } from "../request-context.ts";

/** A list as a file. */
export interface CsvExport<Input> {
  /** The file's name, at `/export/`. */
  name: string;
  needed: Role;
  /** Of the address's query. */
  input: z.ZodType<Input>;
  columns: readonly string[];
  /** Read as fast as the client takes them, so the whole is never in memory. */
  rows(context: AdminContext, caller: Caller, input: Input): AsyncIterable<readonly (string | null)[]>;
}

/** Answers as the procedures do: the same authentication, roles and messages, refusals as `{error}`. Texts that a spreadsheet would run as a formula are escaped. */
export function csvRoute<Input>(context: AdminContext, csv: CsvExport<Input>): Middleware {
  return async (koa, next) => {
    if (koa.path !== `/export/${csv.name}` || koa.method !== "GET") return next();
    koa.set("cache-control", "no-store");
    try {
      const body = await open(context, csv, koa);
      koa.attachment(csv.name);
      koa.type = "text/csv; charset=utf-8";
      koa.body = body;
    } catch (cause) {
      answerRefusal(context.log, koa, cause);
    }
  };
}

async function open<Input>(context: AdminContext, csv: CsvExport<Input>, koa: KoaContext): Promise<Readable> {
  const { caller } = await requestContext(context, koa);
  const allowed = requireRole(caller, csv.needed);
  const rows = csv.rows(context, allowed, csv.input.parse(queryOf(koa)))[Symbol.asyncIterator]();
  // What fails at once is answered as a refusal; what fails later can only end the connection.
  const first = await rows.next();
  const writer = stringify({ header: true, columns: [...csv.columns], escape_formulas: true });
  pipeline(Readable.from(resume(first, rows)), writer, (error) => {
    if (error !== null && error !== undefined) context.log.warn({ err: error, path: koa.path }, "export ended early");
  });
  return writer;
}

/** A filter that is left empty is none. */
const queryOf = ({ query }: KoaContext) => Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));

async function* resume<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
