import { textLength } from "../../../core/text/length.ts";
import { templateRefusal } from "../../errors/graph-error.ts";
import type { TemplateButton } from "../record.ts";
import { checkUrlButton } from "./url-button-rules.ts";

const LABEL_LIMIT = 25;
const PHONE_LIMIT = 20;
const CODE_LIMIT = 20;

/** How many of a kind a template may have. */
const most: Record<TemplateButton["type"], number> = { URL: 2, QUICK_REPLY: 10, PHONE_NUMBER: 1, COPY_CODE: 1, VOICE_CALL: 1 };
const MOST = 10;

/** What the platform demands of the buttons (platform facts, 3.1). */
export function checkButtons(buttons: readonly TemplateButton[]): void {
  if (buttons.length > MOST) throw malformed(`A template can have at most ${MOST} buttons.`);
  for (const [type, limit] of Object.entries(most)) {
    if (buttons.filter((button) => button.type === type).length > limit)
      throw malformed(`A template can have at most ${limit} ${type} buttons.`);
  }
  const replies = buttons.map(({ type }) => type === "QUICK_REPLY");
  const changes = replies.filter((reply, index) => index > 0 && reply !== replies[index - 1]).length;
  if (changes > 1) throw malformed("Quick replies and other buttons must be two groups, one behind the other.");
  for (const button of buttons) checkButton(button);
}

function checkButton(button: TemplateButton): void {
  if (button.type !== "COPY_CODE") checkLabel(button.text);
  switch (button.type) {
    case "URL":
      return checkUrlButton(button);
    case "PHONE_NUMBER":
      if (textLength(button.phone_number) > PHONE_LIMIT) throw tooLong(`A phone number may have ${PHONE_LIMIT} characters.`);
      if (!/^\+?\d[\d ()-]*$/.test(button.phone_number)) throw malformed("The phone number of a button is not valid.");
      return;
    case "COPY_CODE":
      if (textLength([button.example].flat()[0] ?? "") > CODE_LIMIT) throw tooLong(`A code may have ${CODE_LIMIT} characters.`);
      return;
    case "QUICK_REPLY":
    case "VOICE_CALL":
      return;
  }
}

function checkLabel(text: string): void {
  if (textLength(text) > LABEL_LIMIT) throw tooLong(`A button's text may have ${LABEL_LIMIT} characters.`);
  if (text.trim() === "" || /[\n\r]|\{\{|\}\}/.test(text))
    throw malformed("A button's text can't be empty or have variables or new lines.");
}

function tooLong(text: string): Error {
  return templateRefusal(2388040, "Character limit exceeded", text);
}

function malformed(text: string): Error {
  return templateRefusal(undefined, "Message buttons format is incorrect", text);
}
