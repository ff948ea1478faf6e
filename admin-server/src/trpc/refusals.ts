import { TRPCError } from "@trpc/server";
import { z } from "zod";

/** Also for what another account owns: a stranger learns nothing of it. */
export const notFound = (what: string): TRPCError => new TRPCError({ code: "NOT_FOUND", message: `There is no such ${what}` });

/** `message` says what stands in the way and what to do. */
export const conflict = (message: string): TRPCError => new TRPCError({ code: "CONFLICT", message });

export interface InputProblem {
  path: (string | number)[];
  message: string;
}

/** A refusal in the form in which a schema's own are answered, for rules that a schema cannot check alone. */
export function invalidInput(problems: readonly InputProblem[]): TRPCError {
  const cause = new z.ZodRealError(problems.map(({ path, message }) => ({ code: "custom", path, message, input: undefined })));
  return new TRPCError({
    code: "BAD_REQUEST",
    message: problems.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "),
    cause,
  });
}
