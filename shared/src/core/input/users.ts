import { z } from "zod";
import { emailSchema } from "./email.ts";
import { idSchema } from "./id.ts";
import { roles } from "./role.ts";

export const inviteInput = z.object({ email: emailSchema, role: z.enum(roles) });

export const setRoleInput = z.object({ id: idSchema, role: z.enum(roles) });
