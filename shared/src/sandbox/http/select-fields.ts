import { invalidParameter } from "../errors/graph-error.ts";

/** The members that `fields` asks for, `id` always among them; `defaults` when it asks for none. Throws code 100 for an unknown name. */
export function selectFields(
  all: Record<string, unknown>,
  defaults: readonly string[],
  fields: string | null,
  nodeType: string,
): Record<string, unknown> {
  const names = fields === null || fields.trim() === "" ? defaults : namesIn(fields);
  const unknown = names.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined) throw invalidParameter(`Tried accessing nonexisting field (${unknown}) on node type (${nodeType})`);
  return Object.fromEntries([...new Set([...names, "id"])].map((name) => [name, all[name]]));
}

// `health_status{can_send_message}` asks for parts of a field; the sandbox answers the whole.
function namesIn(fields: string): string[] {
  const plain = fields.replaceAll(/\{[^{}]*\}|\([^()]*\)/g, "");
  return plain
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
