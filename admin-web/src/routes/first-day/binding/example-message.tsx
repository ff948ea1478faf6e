import type { TemplateDefinition } from "shared/core/template/definition";
import { cleanSlots } from "shared/core/template/message";
import type { SlotTexts } from "shared/core/template/slots";
import { fillMessage } from "../../../ui/message/fill-message.ts";
import { MessageBubble } from "../../../ui/message/message-bubble.tsx";
import { PhonePreview } from "../../../ui/message/phone-preview.tsx";

/** The message as the customer of the example would get it. */
export function ExampleMessage({ template, slots }: { template: TemplateDefinition; slots: SlotTexts }) {
  return (
    <PhonePreview title="How it will look">
      <MessageBubble {...fillMessage(template, cleanSlots(template, slots), () => "the example order has no value for it")} />
    </PhonePreview>
  );
}
