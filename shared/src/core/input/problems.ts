import { z } from "zod";
import { problemKinds, problemStates } from "../problem/problem.ts";
import { atMost, idSchema, instantSchema, listMembers, trimmed } from "./values.ts";

export const listProblemsInput = z
  .strictObject({
    state: z.enum(problemStates).optional(),
    siteId: idSchema.optional(),
    kind: z.enum(problemKinds).optional(),
    ...listMembers,
  })
  .prefault({});

export const snoozeProblemInput = z.strictObject({ id: idSchema, until: instantSchema });

const longestNote = 2_000;

const noteSchema = z.string().overwrite(trimmed).max(longestNote, atMost(longestNote)).nullable();

/** An empty note is none. `ifNote`: the note that the caller has read. */
export const noteProblemInput = z.strictObject({ id: idSchema, note: noteSchema, ifNote: noteSchema.optional() });
