import { z } from "zod";
import { idSchema } from "./id.ts";
import { endSchema, instantSchema } from "./instant.ts";

const longestSpanDays = 400;
const dayMs = 86_400_000;

/** From `from` (included) to `to` (excluded). */
export const overviewInput = z
  .object({ siteId: idSchema.optional(), from: instantSchema, to: endSchema })
  .refine(({ from, to }) => from < to, { path: ["to"], error: "Must be later than from" })
  .refine(({ from, to }) => to.getTime() - from.getTime() <= longestSpanDays * dayMs, {
    path: ["to"],
    error: `Must be at most ${longestSpanDays} days after from`,
  });
