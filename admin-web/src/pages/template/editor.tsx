import { Stack, TextInput, List, Text, Button, Alert, Anchor, VisuallyHidden } from "@mantine/core";
import { type FormEvent, useRef, type ReactNode, useEffect } from "react";
import { describeReason } from "shared/core/reason";
import { templateWarnings } from "shared/core/template/check";
import { type TemplateDefinition } from "shared/core/template/definition";
import { toDefinition } from "shared/core/template/draft";
import { cleanSlots } from "shared/core/template/message";
import { limits } from "shared/core/template/platform-limits";
import { mediaFile } from "../../paths.ts";
import { fillMessage } from "../../ui/fill-message.ts";
import { UnsavedGuard } from "../../ui/inputs.tsx";
import { MessageBubble, PhonePreview } from "../../ui/message.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { ButtonFields } from "./button-fields.tsx";
import { type FieldFault, type Template, type TemplateValues, toUnchecked, fieldName } from "./draft.ts";
import { BasicFields, BodyField, ExampleFields, FieldNote, HeaderFields } from "./fields.tsx";
import { type Refusal, type Draft, useEditing, type Editing } from "./use-editing.ts";
import classes from "./template.module.css";

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
  const definition = toDefinition(toUnchecked(draft.values, "whole"));
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

/** The message as a phone shows it, with the examples in its slots; and what may look otherwise there. */
export function TemplatePreview({ definition }: { definition: TemplateDefinition }) {
  const { header, examples } = definition;
  const message = fillMessage(definition, cleanSlots(definition, examples), () => "it has no example yet");
  const file = header !== null && "file" in header ? header.file : undefined;
  const shown =
    file === undefined || message.header === null ? message : { ...message, header: { ...message.header, link: mediaFile(file.id) } };
  const isEmpty = header === null && definition.body.trim() === "" && definition.footer === null && definition.buttons.length === 0;
  const warnings = templateWarnings(definition);
  return (
    <Stack gap="sm" component="section" aria-label="Preview">
      <PhonePreview title="Preview">
        {isEmpty ? <Text size="sm">Your message shows here as you write it.</Text> : <MessageBubble {...shown} />}
      </PhonePreview>
      <Text size="xs" c="dimmed" ta="center">
        With the examples in place of the variables.
      </Text>
      {warnings.length > 0 && (
        <List size="xs" c="dimmed">
          {warnings.map((warning) => (
            <List.Item key={warning.code}>{describeReason(warning, "page")}</List.Item>
          ))}
        </List>
      )}
    </Stack>
  );
}

/** What is worked on, and its preview: beside it where there is room, and staying in sight. */
export function TwoColumns({ beside, children }: { beside: ReactNode; children: ReactNode }) {
  return (
    <div className={classes["frame"]}>
      <div className={classes["columns"]}>
        <div>{children}</div>
        <div className={classes["beside"]}>{beside}</div>
      </div>
    </div>
  );
}

/** What may be done with the template, at hand wherever one is in the form. */
function EditorBar({ editing, isStored }: { editing: Editing; isStored: boolean }) {
  const { attempt, running, isUnsaved } = editing;
  return (
    <div className={classes["bar"]}>
      <Text size="sm" c="dimmed" className={classes["state"] ?? ""} role="status">
        {isUnsaved() || !isStored ? "Not saved yet" : "Saved as it stands here"}
      </Text>
      <Button type="submit" variant="default" loading={running === "save"} disabled={running === "submit"}>
        Save draft
      </Button>
      <Button loading={running === "submit"} disabled={running === "save"} onClick={() => attempt("submit")}>
        {isUnsaved() || !isStored ? "Save and submit" : "Submit"}
      </Button>
    </div>
  );
}

/** Why the last attempt came to nothing. It takes the focus, and its links lead on to the fields. */
function WhyNot({ editing }: { editing: Editing }) {
  const place = useRef<HTMLDivElement>(null);
  const { stopped, refusal } = editing;
  useEffect(() => {
    if (stopped !== null || refusal !== null) place.current?.focus();
  }, [stopped, refusal]);
  return (
    <div ref={place} tabIndex={-1} className={classes["notice"]}>
      <Reason editing={editing} />
    </div>
  );
}

/** What is submitted is saved before. */
const titles = { save: "It was not saved", submit: "It is saved, but was not submitted" };

function Reason({ editing: { stopped, refusal, draft, go } }: { editing: Editing }) {
  if (stopped !== null) {
    const title = stopped.goal === "save" ? "Before it can be saved" : "Before it can be submitted";
    return <FaultList title={title} faults={stopped.faults} left={draft.faults} onGo={go} />;
  }
  if (refusal === null) return null;
  const title = titles[refusal.asked];
  if (refusal.faults.length > 0) return <FaultList title={title} faults={refusal.faults} left={draft.said} onGo={go} />;
  return <FailureNotice title={title} error={refusal} />;
}

interface FaultListProps {
  title: string;
  faults: FieldFault[];
  /** Those that are still there: the list keeps its height while they are mended, so that the page does not move under who types. */
  left: FieldFault[];
  onGo: (field: string) => void;
}

/** What is in the way, each leading to its field. */
function FaultList({ title, faults, left, onGo }: FaultListProps) {
  return (
    <Alert color="red" title={title} role="alert">
      <List size="sm" spacing={2}>
        {faults.map(({ field, message }) => {
          const isLeft = left.some((fault) => fault.field === field && fault.message === message);
          return (
            <List.Item key={field + message}>
              <span className={isLeft ? undefined : classes["mended"]}>
                {!isLeft && <VisuallyHidden>Mended: </VisuallyHidden>}
                <Anchor component="button" type="button" size="sm" c="inherit" underline="always" onClick={() => onGo(field)}>
                  {fieldName(field)}
                </Anchor>{" "}
                {message}
              </span>
            </List.Item>
          );
        })}
      </List>
    </Alert>
  );
}
