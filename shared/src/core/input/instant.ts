import { z } from "zod";

const error = "Must be an ISO 8601 time such as 2030-01-31T00:00:00Z";

/** A time as ISO 8601 text with its offset; a date alone is its midnight in UTC. */
export const instantSchema = z
  .union([z.iso.datetime({ offset: true, error }), z.iso.date(error)], { error })
  .transform((text) => new Date(text));
