import { Box, Select, TextInput, Radio, Stack, ActionIcon, Code, Group, Textarea, VisuallyHidden } from "@mantine/core";
import IconBold from "@tabler/icons-react/dist/esm/icons/IconBold.mjs";
import IconBraces from "@tabler/icons-react/dist/esm/icons/IconBraces.mjs";
import IconCode from "@tabler/icons-react/dist/esm/icons/IconCode.mjs";
import IconItalic from "@tabler/icons-react/dist/esm/icons/IconItalic.mjs";
import IconStrikethrough from "@tabler/icons-react/dist/esm/icons/IconStrikethrough.mjs";
import { useRef } from "react";
import { toDefinition } from "shared/core/template/draft";
import { languages, limits } from "shared/core/template/platform-limits";
import { slotNamesOf, urlSlotsOf } from "shared/core/template/slots";
import { textLength } from "shared/core/text";
import { formatLanguage, formatParts } from "../../format.ts";
import { t } from "../../language.ts";
import { SmallButton } from "../../ui/base/buttons.tsx";
import { bound } from "../../ui/base/fields.ts";
import { choicesOf, tableOf } from "../../ui/base/labels.ts";
import { Awaiting, part } from "../../ui/base/later.tsx";
import { Columns } from "../../ui/base/layout.tsx";
import { Dimmed, Loading, Small } from "../../ui/base/page.tsx";
import { Fault } from "../../ui/form/input-form.tsx";
import { categoryName } from "../../ui/template/template-labels.tsx";
import { useAllTemplates } from "../../ui/template/templates.ts";
import { type Template, type TemplateValues, toUnchecked, type HeaderValues, type MediaValues } from "./draft.ts";
import labels from "./labels.json";
import type { TemplateForm } from "./use-editing.ts";

export const MediaField = part(async () => (await import("./media-field.tsx")).MediaField);

interface BasicFieldsProps {
  form: TemplateForm;
  /** True if the platform has the template, which fixes name and language. */
  isKnown: boolean;
  /** The template of which this one is another language, which fixes name and category. */
  namesake: Template | undefined;
}

export function BasicFields({ form, isKnown, namesake }: BasicFieldsProps) {
  const { values } = form;
  const isFixed = isKnown || namesake !== undefined;
  const { templates } = useAllTemplates();
  const taken = namesake === undefined ? [] : templates.filter(({ name }) => name === namesake.name).map(({ language }) => language);
  return (
    <>
      <TextInput
        label={t("Name")}
        {...noted(form, "name", limits.name, isFixed ? fixedName : t("Lower-case letters, digits and underscores, such as order_shipped."))}
        required
        spellCheck={false}
        disabled={isFixed}
      />
      <Select
        label={t("Language")}
        {...form.at("language")}
        error={values.language === "" && form.faults["language"] !== undefined ? t("Choose a language") : form.faults["language"]}
        filter={({ options, search }) => startFirst(options, search)}
        description={isKnown ? undefined : t("Each language of a template is a separate template with the same name.")}
        data={languageChoices.filter(({ value }) => !taken.includes(value))}
        placeholder={t("Choose a language")}
        searchable
        required
        disabled={isKnown}
        allowDeselect={false}
        // The list is inside the page's landmarks. It scrolls by itself, as assistive technology expects, and is no tab stop.
        comboboxProps={{ withinPortal: false }}
        withScrollArea={false}
        attributes={{ options: { tabIndex: -1 } }}
        styles={{ options: { maxHeight: "15rem", overflowY: "auto" } }}
        nothingFoundMessage={t("WhatsApp does not support this language")}
      />
      {namesake === undefined && (
        <Radio.Group
          label={t("Category")}
          required
          description={t("WhatsApp has the final say: a utility template that advertises is approved as marketing.")}
          {...form.at("category")}
        >
          <Stack gap="xs" mt="xs">
            {categories.map((each, index) => (
              <Radio key={each.value} data-path={index === 0 ? "category" : undefined} {...each} />
            ))}
          </Stack>
        </Radio.Group>
      )}
    </>
  );
}

const fixedName = t("WhatsApp identifies the template by this name. To rename it, duplicate it.");

/** Those that begin with what is typed stand before those that have it within. */
function startFirst<Option extends object>(options: readonly Option[], search: string): Option[] {
  const placeOf = (option: Option) => ("label" in option ? String(option.label).toLowerCase().indexOf(search.trim().toLowerCase()) : -1);
  return options.filter((option) => placeOf(option) >= 0).toSorted((one, other) => Math.sign(placeOf(one)) - Math.sign(placeOf(other)));
}

export const languageChoices = languages
  .map((code) => ({ value: code, label: formatParts([formatLanguage(code), code], " · ") }))
  .toSorted((a, b) => a.label.localeCompare(b.label));

const categories = Object.entries(tableOf(labels.categories)).map(([value, description]) => ({
  value,
  label: categoryName(value),
  description,
}));

const marks = [
  { mark: "*", name: t("Bold"), Icon: IconBold },
  { mark: "_", name: t("Italic"), Icon: IconItalic },
  { mark: "~", name: t("Strikethrough"), Icon: IconStrikethrough },
  { mark: "```", name: t("Monospace"), Icon: IconCode },
];

const bodyRules = t("Variables are '{{'1'}}', '{{'2'}}' and so on, with text before, between and after them. At most {bodyEmoji} emoji.", {
  bodyEmoji: limits.bodyEmoji,
});

export function BodyField({ form }: { form: TemplateForm }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const atCursor = (write: (textarea: HTMLTextAreaElement) => void) => () => field.current !== null && write(field.current);
  return (
    <div>
      <Textarea
        ref={field}
        label={t("Body")}
        {...noted(form, "body", limits.body, bodyRules)}
        required
        dir="auto"
        minRows={5}
        maxRows={18}
      />
      <Group gap={6} mt={6} role="toolbar" aria-label={t("Body")}>
        <SmallButton
          leftSection={<IconBraces size={16} aria-hidden />}
          onClick={atCursor((textarea) => insertText(textarea, nextVariable(textarea.value)))}
        >
          {t("Insert variable")}
        </SmallButton>
        {marks.map(({ mark, name, Icon }) => (
          <ActionIcon
            key={mark}
            variant="default"
            size={26}
            aria-label={name}
            title={t("{name}: {mark}text{mark}", { name, mark })}
            onClick={atCursor((textarea) => encloseSelection(textarea, mark))}
          >
            <Icon size={16} aria-hidden />
          </ActionIcon>
        ))}
        <Small>
          <Code>{t("*bold*")}</Code> <Code>{t("_italic_")}</Code> <Code>{t("~struck~")}</Code> <Code>{t("```fixed```")}</Code>
        </Small>
      </Group>
    </div>
  );
}

type Example = Record<"field" | "label" | "value", string> & { change: (text: string) => Partial<TemplateValues> };

/** An example for each variable. */
export function ExampleFields({ form }: { form: TemplateForm }) {
  const examples = examplesOf(form.values);
  if (examples.length === 0) return <Dimmed>{t("Each variable gets an example field here.")}</Dimmed>;
  return (
    <Columns least="14rem" data-path="examples" tabIndex={-1}>
      {examples.map(({ field, label, value, change }) => (
        <TextInput key={field} label={label} {...form.mark(field)} dir="auto" {...bound(value, (text) => form.change(change(text)))} />
      ))}
      <Fault>{form.faults["examples"]}</Fault>
    </Columns>
  );
}

function examplesOf(values: TemplateValues): Example[] {
  const { header, body, bodyExamples, buttons } = values;
  const headers = header.format === "TEXT" && header.text.includes("{{1}}") ? [header] : [];
  // A gap in the numbers is a fault of the body.
  const inBody = slotNamesOf(body, "POSITIONAL").filter((number) => body.includes(`{{${number}}}`));
  const inButtons = urlSlotsOf(toDefinition(toUnchecked(values, "given")));
  return [
    ...headers.map(({ example }): Example => ({
      field: "examples.header.0",
      label: t("'{{'1'}}' of the header"),
      value: example,
      change: (text) => ({ header: { ...header, example: text } }),
    })),
    ...inBody.map((number): Example => {
      const index = Number(number) - 1;
      return {
        field: `examples.body.${index}`,
        label: t("'{{'{number}'}}' of the body", { number }),
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
          label: t("'{{'1'}}' of button {value}", { value: index + 1 }),
          value: button.example,
          change: (text) => ({ buttons: buttons.with(index, { ...button, example: text }) }),
        },
      ];
    }),
  ];
}

const withAt = (texts: readonly string[], index: number, text: string): string[] =>
  Array.from({ length: Math.max(texts.length, index + 1) }, (_, at) => (at === index ? text : (texts[at] ?? "")));

export function HeaderFields({ form }: { form: TemplateForm }) {
  const { header } = form.values;
  const { format } = header;
  const change = (changes: Partial<HeaderValues>) => form.change({ header: { ...header, ...changes } });
  // The header may have another format by the time an upload ends.
  const changeMedia = (media: Partial<MediaValues>) =>
    form.change((before) => (before.header.format === format ? { header: { ...before.header, ...media } } : {}));
  return (
    <>
      <Radio.Group
        label={t("Header")}
        value={format}
        onChange={(chosen) => change({ format: chosen as HeaderValues["format"], file: null })}
      >
        <Group mt={6}>
          {choicesOf(labels.formats).map((each) => (
            <Radio key={each.value} {...each} />
          ))}
        </Group>
      </Radio.Group>
      {format === "TEXT" && <HeaderText form={form} />}
      {format !== "NONE" && format !== "TEXT" && (
        <Awaiting fallback={<Loading what={t("Header file")} />}>
          <MediaField
            key={format}
            format={format}
            media={header}
            error={form.faults["header.url"] ?? form.faults["header.fileId"]}
            onChange={changeMedia}
          />
        </Awaiting>
      )}
    </>
  );
}

function HeaderText({ form }: { form: TemplateForm }) {
  const { text } = form.values.header;
  const field = useRef<HTMLInputElement>(null);
  return (
    <div>
      <TextInput
        ref={field}
        label={t("Header text")}
        {...noted(form, "header.text", limits.header, t("One line in bold, without emoji or formatting, with at most one variable."))}
        required
        dir="auto"
      />
      <SmallButton mt={6} disabled={text.includes("{{1}}")} onClick={() => field.current !== null && insertText(field.current, "{{1}}")}>
        {t("Insert variable in header")}
      </SmallButton>
    </div>
  );
}

/** The props of a field, with its rules, which are the platform's, and its length below. */
export const noted = (form: TemplateForm, name: string, limit: number, rules?: string) => {
  const field = form.at(name);
  return { ...field, description: <FieldNote length={textLength(field.value as string)} limit={limit} rules={rules} /> };
};

/** `length`: counted as the server does. */
const FieldNote = ({ length, limit, rules }: { length: number; limit: number; rules: string | undefined }) => (
  <Group component="span" justify="space-between" align="flex-start" wrap="nowrap">
    <span>{rules}</span>
    <Box
      component="span"
      flex="none"
      style={{ fontVariantNumeric: "tabular-nums" }}
      {...(length > limit && { c: "var(--mantine-color-error)", fw: 600 })}
    >
      {length} / {limit} <VisuallyHidden>{t("characters")}</VisuallyHidden>
    </Box>
  </Group>
);

/** The lowest variable that is not in the text. */
export function nextVariable(text: string): string {
  const used = new Set(Array.from(text.matchAll(/\{\{(\d+)\}\}/g), (match) => Number(match[1])));
  let number = 1;
  while (used.has(number)) number += 1;
  return `{{${number}}}`;
}

type TextField = HTMLInputElement | HTMLTextAreaElement;

/** Replaces the selection, as if `text` were typed. */
export function insertText(field: TextField, text: string): void {
  field.focus();
  field.setRangeText(text, field.selectionStart ?? field.value.length, field.selectionEnd ?? field.value.length, "end");
  tellReact(field);
}

/** Wraps the selection in `mark`; without one the cursor goes between the two. */
function encloseSelection(field: TextField, mark: string): void {
  const [from, to] = [field.selectionStart ?? 0, field.selectionEnd ?? 0];
  field.focus();
  field.setRangeText(mark + field.value.slice(from, to) + mark, from, to, "end");
  if (from === to) field.setSelectionRange(from + mark.length, from + mark.length);
  tellReact(field);
}

const tellReact = (field: TextField): void => void field.dispatchEvent(new Event("input", { bubbles: true }));
