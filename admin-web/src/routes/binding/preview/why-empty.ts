import { slotLabel } from "shared/core/binding";
import type { WhyEmpty } from "../../../ui/message/fill-message.ts";

/** The reason of each slot, from the server's, which begin with the slot as the template calls it: `body {{1}}: order.id is missing`. */
export const whyEmpty =
  (unresolved: readonly string[]): WhyEmpty =>
  (group, name) => {
    const label = `${slotLabel(group, name)}: `;
    const reason = unresolved.find((each) => each.startsWith(label))?.slice(label.length);
    return reason === undefined || reason === "not in the variable map" ? "not filled yet" : reason;
  };
