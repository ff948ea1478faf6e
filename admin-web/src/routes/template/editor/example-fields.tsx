import { Text, TextInput } from "@mantine/core";
import { toDefinition } from "shared/core/template/draft";
import { slotNamesOf } from "shared/core/template/slots";
import { urlSlotsOf } from "shared/core/template/slots";
import type { TemplateValues } from "./template-values.ts";
import { toInput } from "./to-input.ts";
import type { Draft } from "./use-draft.ts";
import classes from "./template-editor.module.css";

interface Example {
  field: string;
  label: string;
  value: string;
  change: (text: string) => Partial<TemplateValues>;
}

/** One for every variable: the reviewers see them, and so does the preview. */
export function ExampleFields({ draft }: { draft: Draft }) {
  const examples = examplesOf(draft.values);
  if (examples.length === 0)
    return (
      <Text size="sm" c="dimmed">
        None yet: each variable that you write gets a field here.
      </Text>
    );
  return (
    <div className={classes["pair"]} data-field="examples" tabIndex={-1}>
      {examples.map(({ field, label, value, change }) => (
        <TextInput
          key={field}
          label={label}
          {...draft.at(field)}
          dir="auto"
          autoComplete="off"
          value={value}
          onChange={(event) => draft.change(change(event.currentTarget.value))}
        />
      ))}
      {draft.errorAt("examples") !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {draft.errorAt("examples")}
        </Text>
      )}
    </div>
  );
}

function examplesOf(values: TemplateValues): Example[] {
  const { header, body, bodyExamples, buttons } = values;
  const headers = header.format === "TEXT" && header.text.includes("{{1}}") ? [header] : [];
  // A gap in the numbers is a fault of its own, and no field.
  const inBody = slotNamesOf(body, "POSITIONAL").filter((number) => body.includes(`{{${number}}}`));
  const inButtons = urlSlotsOf(toDefinition(toInput(values, "given")));
  return [
    ...headers.map(({ example }): Example => ({
      field: "examples.header.0",
      label: "{{1}} of the header",
      value: example,
      change: (text) => ({ header: { ...header, example: text } }),
    })),
    ...inBody.map((number): Example => {
      const index = Number(number) - 1;
      return {
        field: `examples.body.${index}`,
        label: `{{${number}}} of the body`,
        value: bodyExamples[index] ?? "",
        change: (text) => ({ bodyExamples: withAt(bodyExamples, index, text) }),
      };
    }),
    ...inButtons.flatMap(({ index }, slot): Example[] => {
      const button = buttons[index];
      if (button === undefined) return [];
      return [
        {
          field: `examples.buttonUrl.${slot}`,
          label: `{{1}} of button ${index + 1}`,
          value: button.example,
          change: (text) => ({ buttons: buttons.with(index, { ...button, example: text }) }),
        },
      ];
    }),
  ];
}

const withAt = (texts: readonly string[], index: number, text: string): string[] =>
  Array.from({ length: Math.max(texts.length, index + 1) }, (_, at) => (at === index ? text : (texts[at] ?? "")));
