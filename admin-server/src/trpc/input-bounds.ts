import { say } from "shared/core/wording";
import { invalidInput } from "./errors.ts";

/** More than any list of an input may have, or members of an object: schemas name the bound of each. */
const mostMembers = 1_000;
/** More values than any input has, with all that it holds. */
const mostValues = 20_000;
/** An event's payload, whose values are counted before it is read. */
const payload = "payload";

/**
 * Refuses an input with more values than any schema takes, before a schema looks at each of them. @throws TRPCError BAD_REQUEST, which names the member
 * @param payloadAt The level at which a member may be a payload.
 */
export function refuseHuge(input: unknown, payloadAt = 1): void {
  let seen = 0;
  const waiting: { path: (string | number)[]; value: unknown }[] = [{ path: [], value: input }];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const { path, value } = one;
    if (typeof value !== "object" || value === null) continue;
    if (path.length === payloadAt && path.at(-1) === payload) continue;
    // Schemas pass over this name, so they would take it for known.
    if (Object.hasOwn(value, "__proto__")) throw invalidInput([{ path: [...path, "__proto__"], said: say("Is no member of this input") }]);
    const keys = Array.isArray(value) ? value.length : Object.keys(value).length;
    seen += keys;
    if (keys > mostMembers || seen > mostValues) throw invalidInput([{ path, said: say("Has too many values") }]);
    for (const [key, inner] of Object.entries(value))
      waiting.push({ path: [...path, Array.isArray(value) ? Number(key) : key], value: inner });
  }
}
