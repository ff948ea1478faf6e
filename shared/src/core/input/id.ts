import { z } from "zod";

export const idSchema = z.guid("Must be a UUID").toLowerCase();

export const idInput = z.object({ id: idSchema });
