import { cleanSlots } from "shared/core/template/clean-slots";
import type { TemplateDefinition } from "shared/core/template/definition";
import type { Outputs } from "../../../trpc.ts";
import { fillMessage } from "../../../ui/message/fill-message.ts";
import { MessageBubble } from "../../../ui/message/message-bubble.tsx";
import { whyEmpty } from "./why-empty.ts";

type Filled = Pick<Outputs["bindings"]["preview"], "slots" | "unresolved">;

const noSlots: Filled["slots"] = { header: [], body: [], buttonUrl: [] };

/** The message as the recipient's phone would show it. `preview`: undefined while there is nothing to fill it from. */
export function PreviewMessage({ template, preview }: { template: TemplateDefinition; preview: Filled | undefined }) {
  const why = preview === undefined ? () => "there is nothing to fill it from yet" : whyEmpty(preview.unresolved);
  return <MessageBubble {...fillMessage(template, cleanSlots(template, preview?.slots ?? noSlots), why)} />;
}
