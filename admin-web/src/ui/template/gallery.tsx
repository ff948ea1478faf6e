import { isTRPCClientError } from "@trpc/client";
import { useState } from "react";
import { type GalleryLanguage, type GalleryName, galleryNames, galleryTemplate } from "shared/core/gallery/entries";
import { toDefinition } from "shared/core/template/draft";
import { t } from "../../language.ts";
import { cache, type Inputs, trpcClient } from "../../trpc.ts";
import { FailureNotice } from "../base/page.tsx";
import { fillMessage } from "./fill-message.ts";
import { galleryLanguage } from "./gallery-language.ts";
import { ChatPaper, MessageBubble } from "./message.tsx";
import { type ListedTemplate, useAllTemplates } from "./templates.ts";

/** The message with the gallery's examples, as on a phone. */
export function GalleryMessage({ name, language }: { name: GalleryName; language: GalleryLanguage }) {
  const definition = toDefinition(galleryTemplate(name, language));
  return (
    <ChatPaper>
      <MessageBubble {...fillMessage(definition, definition.examples, () => t("the gallery has no example"))} />
    </ChatPaper>
  );
}

/** The account's templates of the gallery in a language. */
export function useOwnedTemplates(language: GalleryLanguage) {
  const isOurs = (template: ListedTemplate): boolean => template.language === language && isGalleryText(template);
  const { templates, ...state } = useAllTemplates(isOurs);
  return { ...state, owned: new Map(templates.filter((each) => each.language === language).map((each) => [each.name, each])) };
}

/** Whether a template of a gallery's name has the gallery's text: the variables of another text may mean something else. */
export function isGalleryText({ name, language, body }: Pick<ListedTemplate, "name" | "language" | "body">): boolean {
  const [knownName, knownLanguage] = [galleryNames.find((each) => each === name), galleryLanguage(language)];
  return knownName !== undefined && knownLanguage !== undefined && galleryTemplate(knownName, knownLanguage).body === body;
}

type Known = Pick<ListedTemplate, "id" | "status" | "body" | "name" | "language">;

/** The account's template of that name and language, created and submitted unless that is done already: simultaneous calls and a second click create nothing twice. */
export async function ensureTemplate(
  name: GalleryName,
  language: GalleryLanguage,
  { owned, isSubmitted }: { owned: Known | undefined; isSubmitted: boolean },
): Promise<string> {
  const template = owned ?? (await createTemplate(name, language));
  if (!isGalleryText(template)) throw new Error(t("You have a template {name} in this language with another text.", { name }));
  if (!isSubmitted || template.status !== "draft") return template.id;
  await unlessConflict(trpcClient.templates.submit.mutate({ id: template.id }));
  return template.id;
}

/** The site's binding, created unless there is an equal one. */
export async function ensureBinding(binding: Inputs["bindings"]["create"]): Promise<void> {
  const { siteId, event, templateId } = binding;
  const refusal = await trpcClient.bindings.create.mutate(binding).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  if (refusal === null) return;
  const { items } = await trpcClient.bindings.list.query({ siteId, event, templateId, limit: 1 });
  if (items.length === 0) throw refusal.error;
}

async function createTemplate(name: GalleryName, language: GalleryLanguage): Promise<Known> {
  const created = await unlessConflict(trpcClient.templates.create.mutate(galleryTemplate(name, language)));
  if (created !== null) return created.template;
  const { items } = await trpcClient.templates.list.query({ search: name, limit: 200 });
  const found = items.find((each) => each.name === name && each.language === language);
  if (found === undefined) throw new Error(t("The template {name} was created or deleted at the same time. Try again.", { name }));
  return found;
}

/** Null if the server answers that it has been done already. */
async function unlessConflict<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (isTRPCClientError(error) && (error.data as { code?: string } | null)?.code === "CONFLICT") return null;
    throw error;
  }
}

type Failure = { titles: string[]; message: string };

/** Does something for each item in turn; a failure does not stop the others. `notices`: those of all failures, which say `what` was not done. */
export function useForEach(what: string) {
  const [isRunning, setRunning] = useState(false);
  const [failures, setFailures] = useState<Failure[]>([]);
  const run = async <Item extends { title: string }>(items: readonly Item[], act: (item: Item) => Promise<unknown>): Promise<Item[]> => {
    setRunning(true);
    const found = new Map<string, string[]>();
    const done: Item[] = [];
    for (const item of items) {
      try {
        await act(item);
        done.push(item);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        found.set(message, [...(found.get(message) ?? []), item.title]);
      }
    }
    await Promise.all([cache.templates.invalidate(), cache.bindings.invalidate()]);
    setFailures(Array.from(found, ([message, titles]) => ({ message, titles })));
    setRunning(false);
    return done;
  };
  const notices = failures.map(({ titles, message }) => (
    <FailureNotice key={message} title={`${what}: ${titles.join(t(", "))}`} error={{ message }} />
  ));
  return { run, isRunning, notices };
}
