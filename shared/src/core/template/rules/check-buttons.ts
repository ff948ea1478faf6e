import { textLength } from "../../text/length.ts";
import { limits } from "../limits.ts";
import type { UncheckedTemplate } from "../unchecked-template.ts";
import type { Fault } from "./fault.ts";
import { hostOf } from "./http-url.ts";

type Button = NonNullable<UncheckedTemplate["buttons"]>[number];

const PHONE = /^\+?\d[\d ()-]*$/;

export function checkButtons(buttons: Button[]): Fault[] {
  if (buttons.length > limits.buttons) return [{ field: "buttons", message: `must be at most ${limits.buttons}` }];
  return [...checkTogether(buttons), ...buttons.flatMap((button, index) => checkButton(button, `buttons.${index}`))];
}

function checkTogether(buttons: Button[]): Fault[] {
  const count = (type: Button["type"]): number => buttons.filter((button) => button.type === type).length;
  const messages: string[] = [];
  if (count("URL") > limits.urlButtons) messages.push(`must have at most ${limits.urlButtons} URL buttons`);
  if (count("PHONE_NUMBER") > limits.phoneButtons) messages.push("must have at most one phone button");
  const replies = buttons.map((button) => button.type === "QUICK_REPLY");
  if (replies.filter((isReply, index) => index > 0 && isReply !== replies[index - 1]).length > 1)
    messages.push("must have the quick replies together, before or behind all others");
  return messages.map((message) => ({ field: "buttons", message }));
}

function checkButton(button: Button, field: string): Fault[] {
  const faults = checkLabel(button.text).map((message) => ({ field: `${field}.text`, message }));
  if (button.type === "URL") faults.push(...checkUrl(button.url).map((message) => ({ field: `${field}.url`, message })));
  if (button.type === "PHONE_NUMBER" && (button.phone.length > limits.buttonPhone || !PHONE.test(button.phone))) {
    faults.push({
      field: `${field}.phone`,
      message: `must be a phone number of at most ${limits.buttonPhone} characters, as in +4930123456`,
    });
  }
  return faults;
}

function checkLabel(text: string): string[] {
  if (text.trim() === "") return ["must not be empty"];
  if (textLength(text) > limits.buttonText) return [`must be at most ${limits.buttonText} characters long`];
  return /[\n\r{}]/.test(text) ? ["must be one line without variables"] : [];
}

function checkUrl(url: string): string[] {
  const host = hostOf(url);
  if (host === null) return [`must be an http or https address of at most ${limits.url} characters`];
  if (/[{}]/.test(url.replace(/\{\{1\}\}$/, ""))) return ["may hold one variable, {{1}}, at its very end"];
  const refused = ["wa.me", "whatsapp.com"].some((name) => host === name || host.endsWith(`.${name}`));
  return refused ? ["must not lead to wa.me or whatsapp.com"] : [];
}
