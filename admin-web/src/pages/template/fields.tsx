import { Select, TextInput, Radio, Stack, ActionIcon, Button, Code, Group, Text, Textarea, VisuallyHidden } from "@mantine/core";
import IconBold from "@tabler/icons-react/dist/esm/icons/IconBold.mjs";
import IconBraces from "@tabler/icons-react/dist/esm/icons/IconBraces.mjs";
import IconCode from "@tabler/icons-react/dist/esm/icons/IconCode.mjs";
import IconItalic from "@tabler/icons-react/dist/esm/icons/IconItalic.mjs";
import IconStrikethrough from "@tabler/icons-react/dist/esm/icons/IconStrikethrough.mjs";
import { useRef, type ReactNode } from "react";
import { toDefinition } from "shared/core/template/draft";
import { languages, limits } from "shared/core/template/platform-limits";
import { slotNamesOf, urlSlotsOf } from "shared/core/template/slots";
import { textLength } from "shared/core/text";
import { formatLanguage } from "../../format.ts";
import { type TemplateValues, toUnchecked, type HeaderValues, type MediaValues } from "./draft.ts";
import { MediaField } from "./media-field.tsx";
import type { Draft } from "./use-editing.ts";
import classes from "./template.module.css";

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

/** Which of the two it is, with what each means. */
function CategoryField({ draft: { values, change, errorAt } }: { draft: Draft }) {
  return (
    <Radio.Group
      label="Category"
      required
      error={errorAt("category")}
      description="The platform decides in the end: a utility template that advertises is approved as marketing."
      value={values.category}
      onChange={(category) => change({ category })}
    >
      <Stack gap="xs" mt="xs">
        <Radio
          data-field="category"
          value="UTILITY"
          label="Utility"
          description="About something that the recipient did: an order, a delivery, a payment, an appointment. Nothing that sells."
        />
        <Radio
          value="MARKETING"
          label="Marketing"
          description="Offers, vouchers, a cart that was left, news, and whatever mixes the two. Recipients can stop it, and the platform limits how much of it a person gets."
        />
      </Stack>
    </Radio.Group>
  );
}

const marks = [
  { mark: "*", name: "Bold", Icon: IconBold },
  { mark: "_", name: "Italic", Icon: IconItalic },
  { mark: "~", name: "Struck through", Icon: IconStrikethrough },
  { mark: "```", name: "Fixed width", Icon: IconCode },
];

export function BodyField({ draft }: { draft: Draft }) {
  const { values, change } = draft;
  const field = useRef<HTMLTextAreaElement>(null);
  const atCursor = (write: (textarea: HTMLTextAreaElement) => void) => () => field.current !== null && write(field.current);
  return (
    <div>
      <Textarea
        ref={field}
        label="Body"
        {...draft.at("body")}
        required
        dir="auto"
        autosize
        minRows={5}
        maxRows={18}
        description={
          <FieldNote text={values.body} limit={limits.body}>
            Variables are {"{{1}}"}, {"{{2}}"} and so on, with words before, between and after them. At most {limits.bodyEmoji} emoji.
          </FieldNote>
        }
        value={values.body}
        onChange={(event) => change({ body: event.currentTarget.value })}
      />
      <Group gap={6} mt={6} role="toolbar" aria-label="Body">
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconBraces size={16} aria-hidden />}
          onClick={atCursor((textarea) => insertText(textarea, nextVariable(textarea.value)))}
        >
          Insert variable
        </Button>
        {marks.map(({ mark, name, Icon }) => (
          <ActionIcon
            key={mark}
            variant="default"
            size={26}
            aria-label={name}
            title={`${name}: ${mark}text${mark}`}
            onClick={atCursor((textarea) => encloseSelection(textarea, mark))}
          >
            <Icon size={16} aria-hidden />
          </ActionIcon>
        ))}
        <Text size="xs" c="dimmed">
          <Code>*bold*</Code> <Code>_italic_</Code> <Code>~struck~</Code> <Code>```fixed```</Code>
        </Text>
      </Group>
    </div>
  );
}

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
  const inButtons = urlSlotsOf(toDefinition(toUnchecked(values, "given")));
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

interface FieldNoteProps {
  text: string;
  limit: number;
  /** The rules that the platform has for the field. */
  children?: ReactNode;
}

/** What stands under a field's label: its rules, and how much of its limit is used, as the server counts. */
export function FieldNote({ text, limit, children }: FieldNoteProps) {
  const length = textLength(text);
  return (
    <span className={classes["note"]}>
      <span>{children}</span>
      <span className={classes["count"]} data-over={length > limit || undefined}>
        {length} / {limit} <VisuallyHidden>characters</VisuallyHidden>
      </span>
    </span>
  );
}

/** The next variable that a text lacks. */
export function nextVariable(text: string): string {
  const used = new Set(Array.from(text.matchAll(/\{\{(\d+)\}\}/g), (match) => Number(match[1])));
  let number = 1;
  while (used.has(number)) number += 1;
  return `{{${number}}}`;
}

type TextField = HTMLInputElement | HTMLTextAreaElement;

/** Writes `text` in place of what is selected, as if it were typed there. */
export function insertText(field: TextField, text: string): void {
  field.focus();
  field.setRangeText(text, field.selectionStart ?? field.value.length, field.selectionEnd ?? field.value.length, "end");
  tellReact(field);
}

/** Encloses what is selected in `mark`; with nothing selected the cursor waits between the two. */
function encloseSelection(field: TextField, mark: string): void {
  const [from, to] = [field.selectionStart ?? 0, field.selectionEnd ?? 0];
  field.focus();
  field.setRangeText(mark + field.value.slice(from, to) + mark, from, to, "end");
  if (from === to) field.setSelectionRange(from + mark.length, from + mark.length);
  tellReact(field);
}

const tellReact = (field: TextField): void => void field.dispatchEvent(new Event("input", { bubbles: true }));
