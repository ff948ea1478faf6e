import { z } from "zod";
import { parseEventName } from "../event/name.ts";

/** An event's name in any case, as its lower-case form. */
export const eventNameSchema = z.string().transform((text, context) => {
  const name = parseEventName(text);
  if (name !== null) return name;
  context.addIssue("Must be an event name: words of letters, digits, _ and -, joined by dots, 1 to 128 characters, such as order.created");
  return z.NEVER;
});
