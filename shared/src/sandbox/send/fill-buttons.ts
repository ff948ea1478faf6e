import { invalidDetails, refusal } from "../errors/graph-error.ts";
import type { TemplateButton } from "../templates/record.ts";
import { fillVariables, variablesOf } from "../templates/variables.ts";
import type { ComponentInput, ParameterInput } from "./component-input.ts";
import { textOf } from "./text-parameter.ts";

/** A message's button as a phone can draw it. */
export interface MessageButton {
  type: TemplateButton["type"];
  text: string;
  url?: string;
  phoneNumber?: string;
  /** What a tap on a quick reply sends back. */
  payload?: string;
  code?: string;
}

const URL_LIMIT = 2000;
const CODE_LIMIT = 20;

/** All that RFC 3986 lets stand in a URL; a lone percent sign is let through. */
const LEGAL = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/;

/** The platform's names of the kinds in its details. */
const kinds: Record<TemplateButton["type"], string> = {
  URL: "Url",
  QUICK_REPLY: "QuickReply",
  PHONE_NUMBER: "Call",
  COPY_CODE: "CopyCode",
  VOICE_CALL: "VoiceCall",
};

/** The template's buttons with their parameters in place; `index` counts all buttons. Throws the platform's refusal (platform facts, 1.3). */
export function fillButtons(buttons: readonly TemplateButton[], components: ComponentInput[]): MessageButton[] {
  const inputs = components.filter(({ type }) => type === "button");
  const surplus = inputs.find(({ index }) => index >= buttons.length);
  if (surplus !== undefined) throw refusal(132018, `buttons: There is no button at index ${surplus.index} in the template`);
  return buttons.map((button, index) =>
    fillButton(
      button,
      index,
      inputs.find((input) => input.index === index),
    ),
  );
}

function fillButton(button: TemplateButton, index: number, input: ComponentInput | undefined): MessageButton {
  const dynamic = takesParameter(button);
  if (input !== undefined) {
    if (!dynamic) throw invalidDetails(`Button at index ${index} is of type ${kinds[button.type]} and does not support parameters`);
    if (input.subType !== button.type)
      throw invalidDetails(`Button at index ${index} is of type ${kinds[button.type]}, not ${input.subType}`);
  }
  const [parameter, second] = input?.parameters ?? [];
  const required = dynamic && button.type !== "QUICK_REPLY";
  if (required && parameter === undefined) {
    throw refusal(131008, `buttons: Button at index ${index} of type ${kinds[button.type]} requires a parameter`);
  }
  if (second !== undefined) throw refusal(132018, `buttons: Button at index ${index} takes one parameter`);
  return present(button, index, parameter);
}

function takesParameter(button: TemplateButton): boolean {
  return button.type === "QUICK_REPLY" || button.type === "COPY_CODE" || (button.type === "URL" && variablesOf(button.url).length > 0);
}

function present(button: TemplateButton, index: number, parameter: ParameterInput | undefined): MessageButton {
  switch (button.type) {
    case "URL":
      return { type: "URL", text: button.text, url: parameter === undefined ? button.url : fillUrl(button.url, index, parameter) };
    case "QUICK_REPLY":
      return { type: "QUICK_REPLY", text: button.text, payload: payloadOf(parameter) ?? button.text };
    case "COPY_CODE":
      return { type: "COPY_CODE", text: button.text ?? "Copy offer code", code: codeOf(index, parameter) };
    case "PHONE_NUMBER":
      return { type: "PHONE_NUMBER", text: button.text, phoneNumber: button.phone_number };
    case "VOICE_CALL":
      return { type: "VOICE_CALL", text: button.text };
  }
}

function fillUrl(url: string, index: number, parameter: ParameterInput): string {
  const [name = "1"] = variablesOf(url);
  const filled = fillVariables(url, new Map([[name, textOf(parameter, "buttons")]]));
  if (!LEGAL.test(filled) || !URL.canParse(filled) || filled.length > URL_LIMIT) {
    throw refusal(131009, `buttons: The parameter of the button at index ${index} does not make a valid URL`);
  }
  return filled;
}

function payloadOf(parameter: ParameterInput | undefined): string | null {
  const payload = parameter?.fields["payload"];
  return typeof payload === "string" && payload !== "" ? payload : null;
}

function codeOf(index: number, parameter: ParameterInput | undefined): string {
  const code = parameter?.fields["coupon_code"];
  if (typeof code !== "string" || code === "")
    throw refusal(131008, `buttons: Button at index ${index} of type CopyCode requires a parameter`);
  if (code.length > CODE_LIMIT)
    throw refusal(131009, `buttons: The code of the button at index ${index} has more than ${CODE_LIMIT} characters`);
  return code;
}
