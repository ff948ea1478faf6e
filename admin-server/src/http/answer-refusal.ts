import { getTRPCErrorFromUnknown } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import type { Context as KoaContext } from "koa";
import type { Logger } from "shared/server/logger";
import { z } from "zod";
import { invalidInput } from "../trpc/refusals.ts";
import { translateError } from "../trpc/translate-error.ts";

/** Answers outside tRPC what was thrown, with the status and in the words that a procedure would: `{error}`. */
export function answerRefusal(log: Logger, koa: KoaContext, cause: unknown): void {
  const error = cause instanceof z.ZodError ? invalidInput(cause.issues.map(asProblem)) : translateError(getTRPCErrorFromUnknown(cause));
  const isOurs = error.code === "INTERNAL_SERVER_ERROR";
  if (isOurs) log.error({ err: cause, path: koa.path }, "request failed");
  koa.status = getHTTPStatusCodeFromError(error);
  koa.body = { error: isOurs ? "Something went wrong on the server. Try again; the server's log says more." : error.message };
}

const asProblem = ({ path, message }: z.core.$ZodIssue) => ({ path: path.map(String), message });
