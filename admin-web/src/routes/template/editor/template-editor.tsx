import { Stack, TextInput } from "@mantine/core";
import { type FormEvent, useRef } from "react";
import { limits } from "shared/core/template/definition";
import { toDefinition } from "shared/core/template/draft";
import { UnsavedGuard } from "../../../ui/form/unsaved-guard.tsx";
import { Section } from "../../../ui/page/section.tsx";
import { TemplatePreview } from "../preview/template-preview.tsx";
import type { Template } from "../template.ts";
import { TwoColumns } from "../two-columns.tsx";
import { BasicFields } from "./basic-fields.tsx";
import { BodyField } from "./body-field.tsx";
import { ButtonFields } from "./button-fields.tsx";
import { EditorBar } from "./editor-bar.tsx";
import { ExampleFields } from "./example-fields.tsx";
import { FieldNote } from "./field-note.tsx";
import { HeaderFields } from "./header-fields.tsx";
import type { Refusal } from "./refusal.ts";
import type { TemplateValues } from "./template-values.ts";
import { toInput } from "./to-input.ts";
import type { Draft } from "./use-draft.ts";
import { useEditing } from "./use-editing.ts";
import { WhyNot } from "./why-not.tsx";
import classes from "./template-editor.module.css";

interface TemplateEditorProps {
  /** Absent while it is new. */
  stored?: Template;
  initial: TemplateValues;
  /** Of a submission on the page before. */
  refusal?: Refusal | undefined;
}

/** Writes a draft, or corrects a rejected template, with what comes of it beside. */
export function TemplateEditor({ stored, initial, refusal }: TemplateEditorProps) {
  const form = useRef<HTMLFormElement>(null);
  const editing = useEditing({ stored: stored ?? null, initial, refusal: refusal ?? null, form });
  const { draft, running, attempt, isUnsaved } = editing;
  const definition = toDefinition(toInput(draft.values, "whole"));
  const save = (event: FormEvent) => {
    event.preventDefault();
    attempt("save");
  };
  return (
    <form ref={form} onSubmit={save} noValidate aria-label="Template">
      <UnsavedGuard isUnsaved={isUnsaved} />
      <WhyNot editing={editing} />
      <TwoColumns beside={<TemplatePreview definition={definition} />}>
        {/* What is typed while a new template is saved would not come along to its page. */}
        <fieldset className={classes["fields"]} disabled={stored === undefined && running !== null}>
          <Fields draft={draft} isKnown={stored !== undefined && stored.platformId !== null} />
        </fieldset>
      </TwoColumns>
      <EditorBar editing={editing} isStored={stored !== undefined} />
    </form>
  );
}

function Fields({ draft, isKnown }: { draft: Draft; isKnown: boolean }) {
  const { values, change, at } = draft;
  return (
    <Stack gap="xl" pb="xl">
      <Section title="What it is">
        <BasicFields draft={draft} isKnown={isKnown} />
      </Section>
      <Section title="Message">
        <HeaderFields draft={draft} />
        <BodyField draft={draft} />
        <TextInput
          label="Footer"
          dir="auto"
          autoComplete="off"
          description={
            <FieldNote text={values.footer} limit={limits.footer}>
              One quiet line, without variables or emoji.
            </FieldNote>
          }
          value={values.footer}
          onChange={(event) => change({ footer: event.currentTarget.value })}
          {...at("footer")}
        />
      </Section>
      <Section
        title="Buttons"
        lead={`Up to ${limits.buttons}: ${limits.urlButtons} links and ${limits.phoneButtons} phone number among them. Quick replies stand together.`}
      >
        <ButtonFields draft={draft} />
      </Section>
      <Section
        title="Examples"
        lead="What each variable may hold. The platform's reviewers judge the message by them; the preview shows them."
      >
        <ExampleFields draft={draft} />
      </Section>
    </Stack>
  );
}
