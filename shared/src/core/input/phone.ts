import { z } from "zod";
import { isE164 } from "../phone.ts";

export const phoneSchema = z
  .string()
  .refine(isE164, "Must be an E.164 phone number: +, country code and number, 7 to 15 digits, such as +491701234567");
