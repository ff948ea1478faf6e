import { z } from "zod";
import { listMembers } from "./list.ts";
import { phoneSchema } from "./phone.ts";

export const listOptOutsInput = z.object({ phone: phoneSchema.optional(), ...listMembers }).prefault({});
