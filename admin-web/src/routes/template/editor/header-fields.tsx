import { Button, Group, Radio, TextInput } from "@mantine/core";
import { useRef } from "react";
import { limits } from "shared/core/template/definition";
import { MediaField } from "../media/media-field.tsx";
import { FieldNote } from "./field-note.tsx";
import type { HeaderValues, MediaValues } from "./template-values.ts";
import { insertText } from "./text-tools.ts";
import type { Draft } from "./use-draft.ts";

const formats: { value: HeaderValues["format"]; label: string }[] = [
  { value: "NONE", label: "None" },
  { value: "TEXT", label: "Text" },
  { value: "IMAGE", label: "Image" },
  { value: "VIDEO", label: "Video" },
  { value: "DOCUMENT", label: "Document" },
];

/** What stands above the body. */
export function HeaderFields({ draft }: { draft: Draft }) {
  const { header } = draft.values;
  const { format } = header;
  const change = (changes: Partial<HeaderValues>) => draft.change({ header: { ...header, ...changes } });
  // An upload takes a while, and the header may be of another kind by then.
  const changeMedia = (media: Partial<MediaValues>) =>
    draft.change((before) => (before.header.format === format ? { header: { ...before.header, ...media } } : {}));
  return (
    <>
      <Radio.Group label="Header" value={format} onChange={(chosen) => change({ format: chosen as HeaderValues["format"], file: null })}>
        <Group gap="md" mt={6}>
          {formats.map((each) => (
            <Radio key={each.value} {...each} />
          ))}
        </Group>
      </Radio.Group>
      {format === "TEXT" && <HeaderText draft={draft} onChange={(text) => change({ text })} />}
      {format !== "NONE" && format !== "TEXT" && (
        <MediaField key={format} format={format} media={header} error={draft.errorAt("header.url")} onChange={changeMedia} />
      )}
    </>
  );
}

function HeaderText({ draft, onChange }: { draft: Draft; onChange: (text: string) => void }) {
  const { text } = draft.values.header;
  const field = useRef<HTMLInputElement>(null);
  return (
    <div>
      <TextInput
        ref={field}
        label="Header text"
        {...draft.at("header.text")}
        required
        dir="auto"
        autoComplete="off"
        description={
          <FieldNote text={text} limit={limits.header}>
            One line in bold, without emoji or marks, with one variable at most.
          </FieldNote>
        }
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Button
        variant="default"
        size="compact-sm"
        mt={6}
        disabled={text.includes("{{1}}")}
        onClick={() => field.current !== null && insertText(field.current, "{{1}}")}
      >
        Insert variable into the header
      </Button>
    </div>
  );
}
