import { z } from "zod";

const written = z.union([z.iso.datetime({ offset: true }), z.iso.date()], "Must be an ISO 8601 time such as 2030-01-31T00:00:00Z");
const dayMs = 86_400_000;

/** A time as ISO 8601 text with its offset; a day alone is its midnight in UTC. */
export const instantSchema = written.transform((text) => new Date(text));

/** The excluded end of a span: a time, or a day in UTC of which all belongs to the span. */
export const endSchema = written.transform((text) => new Date(Date.parse(text) + (text.includes("T") ? 0 : dayMs)));
