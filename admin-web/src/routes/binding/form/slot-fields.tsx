import { Text } from "@mantine/core";
import type { TemplateDefinition } from "shared/core/template/definition";
import { urlSlotsOf } from "shared/core/template/slots";
import { Section } from "../../../ui/page/section.tsx";
import { templateSlots, type TemplateSlot } from "../draft/template-slots.ts";
import { slotOutcome } from "../preview/slot-outcome.ts";
import type { PreviewState } from "../preview/use-preview.ts";
import type { BindingForm } from "../use-binding-form.ts";
import { SlotField } from "./slot-field.tsx";
import type { LearnedField } from "./use-learned-fields.ts";

interface SlotFieldsProps {
  form: BindingForm;
  fields: readonly LearnedField[];
  preview: PreviewState["data"];
}

/** What each of the template's slots is filled with. */
export function SlotFields({ form, fields, preview }: SlotFieldsProps) {
  const { template } = form;
  if (template === undefined) return null;
  const slots = templateSlots(template);
  return (
    <Section title="Filled with">
      {slots.length === 0 && (
        <Text size="sm" c="dimmed">
          The template has no slots: every message reads the same.
        </Text>
      )}
      {slots.map((slot) => (
        <SlotField
          key={slot.key}
          slot={slot}
          place={placeOf(slot, template)}
          form={form}
          fields={fields}
          outcome={preview === undefined ? null : slotOutcome(template, slot, preview)}
        />
      ))}
    </Section>
  );
}

function placeOf({ group, index }: TemplateSlot, template: TemplateDefinition): string {
  if (group.part === "header") return "Header";
  if (group.part === "body") return "Body";
  const button = template.buttons[urlSlotsOf(template)[index]?.index ?? -1];
  return `Link of the button “${button?.text ?? ""}”`;
}
