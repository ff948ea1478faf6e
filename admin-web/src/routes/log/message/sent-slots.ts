import type { MessageComponent, TextParameter } from "shared/core/template/definition";
import type { TemplateDefinition } from "shared/core/template/definition";
import { slotNames, type SlotTexts } from "shared/core/template/slots";
import { urlSlotsOf } from "shared/core/template/slots";

/** The texts that a message was sent with, by the template's slots. Empty where the template has one that the message had not. */
export function sentSlots(components: readonly MessageComponent[], definition: TemplateDefinition): SlotTexts {
  const names = slotNames(definition);
  const textsOf = (part: "header" | "body"): string[] => {
    const parameters = textsIn(components.find(({ type }) => type === part));
    return names[part].map(
      (name, index) => (parameters.find((each) => each.parameter_name === name) ?? unnamed(parameters[index]))?.text ?? "",
    );
  };
  const urlText = (index: number): string =>
    textsIn(components.find((each) => each.type === "button" && each.index === String(index)))[0]?.text ?? "";
  return {
    header: textsOf("header"),
    body: textsOf("body"),
    buttonUrl: urlSlotsOf(definition).map(({ index }) => urlText(index)),
  };
}

/** The components of a message as they are stored, as JSON. */
export const readComponents = (json: string): MessageComponent[] => JSON.parse(json) as MessageComponent[];

/** Every text of a message, of which no template tells any more where it stood. */
export const sentTexts = (components: readonly MessageComponent[]): string[] =>
  components.flatMap((component) => textsIn(component).map(({ text }) => text));

const textsIn = (component: MessageComponent | undefined): TextParameter[] =>
  (component?.parameters ?? []).filter((parameter) => parameter.type === "text");

const unnamed = (parameter: TextParameter | undefined) => (parameter?.parameter_name === undefined ? parameter : undefined);
