import { hash } from "node:crypto";
import type { SandboxContext } from "../http.ts";
import type { FilledMessage } from "../send/content.ts";
import type { SandboxAccount } from "../store.ts";
import type { TemplateButton, TemplateComponent } from "./components.ts";
import { newTemplate } from "./store.ts";

/** The template of a Direct Send, made with the first of its text. Words with digits in them are taken for its variables. */
export async function generateTemplate(
  { templates, options }: SandboxContext,
  { wabaId }: SandboxAccount,
  { filled, category, kind }: { filled: FilledMessage; category: "UTILITY" | "AUTHENTICATION"; kind: string },
): Promise<{ name: string; language: string }> {
  const components = componentsOf(filled);
  const language = "en_US";
  const texts = components.map((component) => ("text" in component ? component.text : component));
  const digest = hash("sha256", JSON.stringify([category, texts]));
  const name = `direct_send_${kind}_${digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}`;
  const now = options.now();
  if (templates.find(wabaId, name, language) === undefined && templates.ofAccount(wabaId).length < options.templateLimit) {
    const made = newTemplate(wabaId, now, { name, language, category, components, status: "APPROVED", isGenerated: true });
    await templates.save(made);
  }
  return { name, language };
}

function componentsOf({ header, body, footer, buttons }: FilledMessage): TemplateComponent[] {
  const values: string[] = [];
  const text = body.replaceAll(/\S+/g, (word) => {
    if (!/\d/.test(word)) return word;
    let end = word.length;
    while (!/[\p{L}\p{N}]/u.test(word[end - 1] ?? "")) end -= 1;
    return `{{${values.push(word.slice(0, end))}}}${word.slice(end)}`;
  });
  return [
    ...(header?.format === "TEXT" ? [{ type: "HEADER" as const, format: "TEXT" as const, text: header.text }] : []),
    { type: "BODY", text, ...(values.length > 0 && { example: { body_text: [values] } }) },
    ...(footer === null ? [] : [{ type: "FOOTER" as const, text: footer }]),
    ...(buttons.length === 0 ? [] : [{ type: "BUTTONS" as const, buttons: buttons.map(buttonOf) }]),
  ];
}

const buttonOf = ({ text, url }: FilledMessage["buttons"][number]): TemplateButton =>
  url === undefined ? { type: "QUICK_REPLY", text } : { type: "URL", text, url };
