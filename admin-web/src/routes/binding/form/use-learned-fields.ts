import { parseEventName } from "shared/core/event";
import { type Outputs, trpc } from "../../../trpc.ts";

export type LearnedField = Outputs["events"]["fields"]["fields"][number];

/** What events of that site and name were seen to hold at paths that a slot may name. */
export function useLearnedFields(siteId: string, name: string): LearnedField[] {
  const event = parseEventName(name);
  const isNamed = siteId !== "" && event !== null;
  const learned = trpc.events.fields.useQuery({ siteId, event: event ?? "" }, { enabled: isNamed });
  return isNamed ? (learned.data?.fields ?? []).filter(isValue) : [];
}

/** Objects and lists would be sent as JSON, and any element of a list is no single value: its elements stand there by their number too. */
const isValue = ({ path, type }: LearnedField): boolean => type !== "object" && type !== "array" && !path.includes("[]");
