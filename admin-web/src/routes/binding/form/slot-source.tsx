import { NativeSelect, TextInput } from "@mantine/core";
import { expressionNames } from "shared/core/expressions";
import type { SlotDraft } from "../draft/binding-draft.ts";
import type { Faults } from "../draft/find-faults.ts";
import { expressionWords } from "./expression-words.ts";
import { PathInput } from "./path-input.tsx";
import type { LearnedField } from "./use-learned-fields.ts";
import classes from "./slot-field.module.css";

interface SlotSourceProps {
  /** What the slot is called where it is read out. */
  name: string;
  value: SlotDraft;
  fields: readonly LearnedField[];
  faults: Faults;
  /** What the names of its faults begin with. */
  at: string;
  onChange: (changes: Partial<SlotDraft>) => void;
}

/** What a source of a slot's text needs to know. */
export function SlotSource(props: SlotSourceProps) {
  const { name, value, fields, faults, at, onChange } = props;
  if (value.source === "static") {
    return (
      <TextInput
        label="Text"
        aria-label={`${name}: text`}
        autoComplete="off"
        value={value.value}
        error={faults[`${at}.value`]}
        onChange={(event) => onChange({ value: event.currentTarget.value })}
      />
    );
  }
  return (
    <div className={classes["source"]}>
      {value.source === "field" ? (
        <PathInput
          label="Path"
          aria-label={`${name}: path`}
          fields={fields}
          value={value.path}
          error={faults[`${at}.path`]}
          onChange={(path) => onChange({ path })}
        />
      ) : (
        <NativeSelect
          label="Helper"
          aria-label={`${name}: helper`}
          data={expressionNames.map((expr) => ({ value: expr, label: expressionWords[expr] }))}
          value={value.expr}
          error={faults[`${at}.expr`]}
          onChange={(event) => onChange({ expr: expressionNames.find((each) => each === event.currentTarget.value) ?? value.expr })}
        />
      )}
      <TextInput
        label="If it is missing"
        aria-label={`${name}: if it is missing`}
        placeholder="Nothing is sent"
        autoComplete="off"
        value={value.fallback}
        error={faults[`${at}.fallback`]}
        onChange={(event) => onChange({ fallback: event.currentTarget.value })}
      />
    </div>
  );
}
