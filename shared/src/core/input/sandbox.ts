import { z } from "zod";
import { listMembers } from "./list.ts";

export const sandboxMessagesInput = z.object({ ...listMembers, to: z.string().max(30).optional() }).prefault({});

export const markReadInput = z.object({ id: z.string().min(1).max(300) });
