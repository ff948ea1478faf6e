import { z } from "zod";
import { namedError } from "./named-error.ts";
import { pathProblem } from "./path.ts";

/** A dotted path into the payload, as a binding stores it. */
export const dottedPathSchema = z.string(namedError("must be a dotted path, as in customer.first_name")).refine(
  (path) => pathProblem(path) === null,
  namedError((issue) => pathProblem(String(issue.input)) ?? ""),
);
