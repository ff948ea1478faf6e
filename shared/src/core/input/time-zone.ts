import { z } from "zod";

/** A name of the IANA time zone database, such as `Europe/Berlin`. */
export const timeZoneSchema = z.string().max(100).refine(isTimeZone, "Must be a time zone such as Europe/Berlin or UTC");

function isTimeZone(name: string): boolean {
  // Offsets such as +02:00 are taken by some engines and mean the opposite in PostgreSQL.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
