import { z } from "zod";
import { phoneSchema } from "./phone.ts";

/** The phone, typed by whoever asks: there is no list to pick from. */
export const erasePersonInput = z.object({ phone: phoneSchema });
