import type { SandboxAccount } from "../../db/tables/sandbox/account.ts";
import type { SandboxContext } from "../context.ts";
import { type GraphError, templateRefusal } from "../errors/graph-error.ts";
import type { CreateInput } from "./create-input.ts";

/** Throws the platform's refusal unless a template of that name, language and category may be added to the account (platform facts, 2.5). */
export function checkName(context: SandboxContext, { wabaId }: SandboxAccount, input: CreateInput): void {
  const { name, language, category } = input;
  const existing = context.templates.ofAccount(wabaId);
  if (existing.length >= context.options.templateLimit) {
    throw templateRefusal(2388019, "Template limit reached", `An account can have ${context.options.templateLimit} templates.`);
  }
  const siblings = existing.filter((record) => record.name === name);
  if (siblings.some((record) => record.language === language)) {
    throw templateRefusal(2388024, "Content in this language already exists", `There is already ${language} content for this template.`);
  }
  if (name === "hello_world" || name.startsWith("sample_")) {
    throw templateRefusal(undefined, "Invalid template name", "This name is reserved for sample templates.");
  }
  const locked = context.templates
    .locks(wabaId, name)
    .find((lock) => lock.language === language && lock.until.getTime() > context.options.now());
  if (locked !== undefined) throw beingDeleted(language, locked.approved);
  const [sibling] = siblings;
  if (sibling !== undefined && sibling.category !== category) throw otherCategory(category, sibling.category);
}

function beingDeleted(language: string, approved: boolean): GraphError {
  const wait = approved ? "in 4 weeks" : "in a minute";
  const text = `New ${language} content can't be added while the existing ${language} content is being deleted. Try again ${wait}`;
  return templateRefusal(2388023, "Message template language is being deleted", `${text} or create a new message template.`);
}

function otherCategory(asked: string, associated: string): GraphError {
  const text = `The category ${asked} doesn't match the one that's already associated with this template, ${associated}.`;
  return templateRefusal(undefined, "Category doesn't match", text);
}
