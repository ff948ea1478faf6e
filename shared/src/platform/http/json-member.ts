/** Reading JSON of unknown shape: what is not there or is of another type is simply absent. */

export function member(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

export function textMember(value: unknown, key: string): string | undefined {
  const text = member(value, key);
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** An id or a code: the platform writes both as a number here and as a string there. */
export function idMember(value: unknown, key: string): string | undefined {
  const id = member(value, key);
  if (typeof id === "bigint") return id.toString();
  if (typeof id === "number") return Number.isSafeInteger(id) ? id.toString() : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}

export function listMember(value: unknown, key: string): unknown[] {
  const list = member(value, key);
  return Array.isArray(list) ? list : [];
}
