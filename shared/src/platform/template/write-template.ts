import type { TemplateButton, TemplateDefinition, TemplateHeader } from "../../core/template/definition.ts";
import { slotNamesOf } from "../../core/template/placeholders.ts";
import { urlSlotsOf } from "../../core/template/url-slot.ts";

type Part = Record<string, unknown>;

/**
 * The `components` of a call that creates the template.
 * @param headerHandle What the platform gave for the uploaded sample of an image, video or document header; it takes no URL there.
 */
export function writeComponents(definition: TemplateDefinition, headerHandle: string | null = null): Part[] {
  const { header, body, footer, buttons } = definition;
  return [
    ...(header === null ? [] : [writeHeader(header, definition, headerHandle)]),
    { type: "BODY", text: body, ...bodyExample(definition) },
    ...(footer === null ? [] : [{ type: "FOOTER", text: footer }]),
    ...(buttons.length === 0 ? [] : [{ type: "BUTTONS", buttons: writeButtons(definition) }]),
  ];
}

function writeHeader(header: TemplateHeader, definition: TemplateDefinition, handle: string | null): Part {
  if (header.format === "OTHER") return { type: "HEADER", format: header.type };
  if (header.format !== "TEXT") {
    return { type: "HEADER", format: header.format, ...(handle !== null && { example: { header_handle: [handle] } }) };
  }
  const names = slotNamesOf(header.text, definition.parameterFormat);
  const { header: examples } = definition.examples;
  return { type: "HEADER", format: "TEXT", text: header.text, ...textExample("header_text", definition, names, examples, examples) };
}

function bodyExample(definition: TemplateDefinition): Part {
  const { body: examples } = definition.examples;
  return textExample("body_text", definition, slotNamesOf(definition.body, definition.parameterFormat), examples, [examples]);
}

function textExample(key: string, { parameterFormat }: TemplateDefinition, names: string[], examples: string[], positional: unknown): Part {
  if (names.length === 0) return {};
  if (parameterFormat === "POSITIONAL") return { example: { [key]: positional } };
  const named = names.map((name, index) => ({ param_name: name, example: examples[index] ?? "" }));
  return { example: { [`${key}_named_params`]: named } };
}

function writeButtons(definition: TemplateDefinition): Part[] {
  const slots = urlSlotsOf(definition);
  return definition.buttons.map((button, index) => {
    const slot = slots.findIndex((candidate) => candidate.index === index);
    const found = slots[slot];
    if (found === undefined) return writeButton(button);
    return { ...writeButton(button), example: [`${found.fixed}${definition.examples.buttonUrl[slot] ?? ""}${found.rest}`] };
  });
}

function writeButton(button: TemplateButton): Part {
  switch (button.type) {
    case "URL":
    case "QUICK_REPLY":
      return button;
    case "PHONE_NUMBER":
      return { type: button.type, text: button.text, phone_number: button.phone };
    case "OTHER":
      return { type: button.kind, text: button.text };
  }
}
