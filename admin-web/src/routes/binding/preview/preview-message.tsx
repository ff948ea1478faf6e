import type { TemplateDefinition } from "shared/core/template/definition";
import { cleanSlots } from "shared/core/template/message";
import { slotNames, type SlotTexts } from "shared/core/template/slots";
import type { Outputs } from "../../../trpc.ts";
import { fillMessage } from "../../../ui/message/fill-message.ts";
import { MessageBubble } from "../../../ui/message/message-bubble.tsx";
import { whyEmpty } from "./why-empty.ts";

type Filled = Pick<Outputs["bindings"]["preview"], "slots" | "unresolved">;

const noSlots: Filled["slots"] = { header: [], body: [], buttonUrl: [] };

interface PreviewMessageProps {
  template: TemplateDefinition;
  /** Undefined while there is nothing to fill it from. */
  preview: Filled | undefined;
  /** What fills it is on its way: until then nothing is missing. */
  isComing?: boolean;
}

/** The message as the recipient's phone would show it. */
export function PreviewMessage({ template, preview, isComing = false }: PreviewMessageProps) {
  if (isComing) return <MessageBubble {...fillMessage(template, asWritten(template), () => "")} />;
  const why = preview === undefined ? () => "there is nothing to fill it from yet" : whyEmpty(preview.unresolved);
  return <MessageBubble {...fillMessage(template, cleanSlots(template, preview?.slots ?? noSlots), why)} />;
}

/** Each slot as its own mark. */
function asWritten(template: TemplateDefinition): SlotTexts {
  const { header, body, buttonUrl } = slotNames(template);
  const marks = (names: readonly string[]): string[] => names.map((name) => `{{${name}}}`);
  return { header: marks(header), body: marks(body), buttonUrl: marks(buttonUrl) };
}
