import { z } from "zod";
import { eventNameSchema } from "./event-name.ts";
import { idSchema } from "./id.ts";
import { listMembers } from "./list.ts";

export const eventNamesInput = z.object({ siteId: idSchema, ...listMembers });

export const eventFieldsInput = z.object({ siteId: idSchema, event: eventNameSchema });
