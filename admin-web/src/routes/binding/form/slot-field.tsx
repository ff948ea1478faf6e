import { SegmentedControl, Text } from "@mantine/core";
import type { VarSpec } from "shared/core/variables";
import { emptySlot, type SlotDraft } from "../draft/binding-draft.ts";
import type { TemplateSlot } from "../draft/template-slots.ts";
import type { SlotOutcome } from "../preview/slot-outcome.ts";
import type { BindingForm } from "../use-binding-form.ts";
import { SlotSource } from "./slot-source.tsx";
import type { LearnedField } from "./use-learned-fields.ts";
import classes from "./slot-field.module.css";

interface SlotFieldProps {
  slot: TemplateSlot;
  /** Where in the message it stands. */
  place: string;
  form: BindingForm;
  fields: readonly LearnedField[];
  outcome: SlotOutcome | null;
}

const sources: { value: VarSpec["source"]; label: string }[] = [
  { value: "field", label: "From the event" },
  { value: "static", label: "Fixed text" },
  { value: "expression", label: "Helper" },
];

/** One slot: where it stands, what fills it, and what comes of that. */
export function SlotField({ slot, place, form, fields, outcome }: SlotFieldProps) {
  const { key, mark, before, after } = slot;
  const value = form.draft.slots[key] ?? emptySlot;
  const change = (changes: Partial<SlotDraft>) => form.changeSlot(key, changes);
  const name = `${place} ${mark}`;
  const fault = form.faults[`variableMap.${key}`];
  return (
    <fieldset className={classes["slot"]} aria-label={name}>
      <div className={classes["top"]}>
        <div className={classes["place"]}>
          <Text size="sm" className={classes["context"] ?? ""}>
            <span className={classes["name"]}>{place}</span>
            {/* Apart from the place's name, since it may run from the right. */}
            <bdi>
              <span className={classes["around"]}>{before}</span>
              <strong>{mark}</strong>
              <span className={classes["around"]}>{after}</span>
            </bdi>
          </Text>
        </div>
        <SegmentedControl
          size="xs"
          data={sources}
          value={value.source}
          aria-label={`${name} is filled`}
          onChange={(source) => change({ source: source as VarSpec["source"] })}
        />
      </div>
      <SlotSource name={name} value={value} fields={fields} faults={form.faults} at={`variableMap.${key}`} onChange={change} />
      {fault !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)">
          {fault}
        </Text>
      )}
      <Outcome outcome={outcome} />
    </fieldset>
  );
}

function Outcome({ outcome }: { outcome: SlotOutcome | null }) {
  if (outcome === null) return null;
  if ("text" in outcome) {
    return (
      <Text size="sm" className={classes["outcome"] ?? ""}>
        <span className={classes["arrow"]}>Reads </span>
        {outcome.text}
      </Text>
    );
  }
  return (
    <Text size="sm" className={`${classes["outcome"]} ${classes["empty"]}`}>
      Empty: {outcome.reason}
    </Text>
  );
}
