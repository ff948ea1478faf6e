import { Select, TextInput } from "@mantine/core";
import { languages } from "shared/core/template/definition";
import { limits } from "shared/core/template/definition";
import { formatLanguage } from "../../../format.ts";
import { CategoryField } from "./category-field.tsx";
import { FieldNote } from "./field-note.tsx";
import type { Draft } from "./use-draft.ts";

/** `isKnown`: the platform has it, and knows it by name and language. */
export function BasicFields({ draft, isKnown }: { draft: Draft; isKnown: boolean }) {
  const { values, change } = draft;
  return (
    <>
      <TextInput
        label="Name"
        {...draft.at("name")}
        required
        autoComplete="off"
        spellCheck={false}
        disabled={isKnown}
        description={
          <FieldNote text={values.name} limit={limits.name}>
            {isKnown
              ? "The platform knows it by its name: for another one, duplicate it."
              : "Lower-case letters, digits and underscores, such as order_shipped."}
          </FieldNote>
        }
        value={values.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <Select
        label="Language"
        {...draft.at("language")}
        description={isKnown ? undefined : "Of the text. Each language of a template is a template of its own, with the same name."}
        data={languageChoices}
        placeholder="Choose the language"
        searchable
        required
        disabled={isKnown}
        allowDeselect={false}
        // Within the page's landmarks; its list itself scrolls, as assistive technology expects, and is no stop on the way by Tab.
        comboboxProps={{ withinPortal: false }}
        withScrollArea={false}
        attributes={{ options: { tabIndex: -1 } }}
        styles={{ options: { maxHeight: "15rem", overflowY: "auto" } }}
        nothingFoundMessage="The platform has no such language"
        value={values.language}
        onChange={(language) => language !== null && change({ language })}
      />
      <CategoryField draft={draft} />
    </>
  );
}

const languageChoices = languages
  .map((code) => ({ value: code, label: `${formatLanguage(code)} · ${code}` }))
  .toSorted((a, b) => a.label.localeCompare(b.label));
