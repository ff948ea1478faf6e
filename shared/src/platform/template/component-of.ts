import { textMember } from "../http/json-member.ts";

/** The part of a platform template of this type, given in upper case. */
export function componentOf(components: readonly unknown[], type: string): unknown {
  return components.find((component) => textMember(component, "type")?.toUpperCase() === type);
}
