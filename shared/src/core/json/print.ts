import type { JsonObject, JsonValue } from "./value.ts";

/** Compact JSON, equal to JSON.stringify wherever that works; also takes bigints (printed digit for digit) and any depth. Never throws. */
export function printJson(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    // A bigint or a nesting deeper than the stack.
    return printIteratively(value);
  }
}

/** A container that is being printed: its members, and how many of them are done. */
interface Open {
  members: JsonValue[];
  keys: string[] | null;
  done: number;
}

function printIteratively(value: JsonValue): string {
  const parts: string[] = [];
  const open: Open[] = [];
  start(value, parts, open);
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    if (last.done === last.members.length) {
      parts.push(last.keys === null ? "]" : "}");
      open.pop();
      continue;
    }
    if (last.done > 0) parts.push(",");
    const key = last.keys?.[last.done];
    if (key !== undefined) parts.push(JSON.stringify(key), ":");
    start(last.members[last.done++] ?? null, parts, open);
  }
  return parts.join("");
}

/** Prints a scalar; opens a container. */
function start(value: JsonValue, parts: string[], open: Open[]): void {
  if (typeof value === "bigint") parts.push(value.toString());
  else if (typeof value !== "object" || value === null) parts.push(JSON.stringify(value));
  else if (Array.isArray(value)) {
    parts.push("[");
    open.push({ members: value, keys: null, done: 0 });
  } else {
    parts.push("{");
    open.push({ ...membersOf(value), done: 0 });
  }
}

function membersOf(object: JsonObject): { keys: string[]; members: JsonValue[] } {
  const keys = Object.keys(object).filter((key) => object[key] !== undefined);
  return { keys, members: keys.map((key) => object[key] ?? null) };
}
