import { useState } from "react";
import type { Reason } from "shared/core/reason";
import { messageAtPlace } from "shared/core/text";
import { findRule } from "shared/core/wording";
import { language, loadTexts, t, translated } from "../../language.ts";
import type { Gone } from "../base/gone.tsx";
import type { schemas } from "./schemas.ts";

/** A fault of one member of an input, as zod and the server's refusals name it. */
export interface Issue {
  path: PropertyKey[];
  message: string;
  /** True if more typing cannot correct it, so that it shows before the field is left. */
  isFinal?: boolean;
}

/** The server's refusal of an input. Plain data, so that it can travel to another page. */
export interface Refusal {
  message: string;
  issues: Issue[];
  /** What was to be changed is gone. */
  data?: { gone: Gone };
  /** Makes it anew with the fields' values. */
  again?: () => void;
}

/** An issue of zod, or of the server with the broken rule as data. */
type ApiIssue = { path: PropertyKey[]; message: string; reason?: Reason | undefined };

type Schemas = typeof schemas;
interface Checks {
  safeParse: (input: unknown) => { error?: { issues: ApiIssue[] } | undefined };
}
type SchemaName = { [Name in keyof Schemas]: Schemas[Name] extends Checks ? Name : never }[keyof Schemas];
let known: Schemas | undefined;
let loading: Promise<void> | undefined;

/** Loads the API's schemas, and the translations of their messages. Without them the server alone refuses. */
export const loadSchemas = async (): Promise<void> =>
  (loading ??= Promise.all([import("./schemas.ts"), language !== "en" && loadTexts("forms")]).then(
    ([loaded]) => void (known = loaded.schemas),
    () => void (loading = undefined),
  ));

/** A schema of the API once somebody has been in a form: before, all that stands there came from the server. */
export const schemaOf = <Name extends SchemaName>(name: Name): Schemas[Name] | undefined => known?.[name];

export const areSchemasLoaded = (): boolean => known !== undefined;

/** Draws the form anew once its schemas are loaded, which begins with the first focus or change. */
export function useSchemas(): () => void {
  const [, setLoaded] = useState(known !== undefined);
  return () => void (known === undefined && loadSchemas().then(() => setLoaded(true)));
}

/** The change, before which the schemas begin to load. */
export const waking =
  <Change>(wake: () => void, change: (to: Change) => void) =>
  (to: Change) => {
    wake();
    change(to);
  };

/** Makes a form's check of the API's own schema. */
export const by = (name: SchemaName) => (input: unknown) =>
  ((schemaOf(name) as Checks | undefined)?.safeParse(input).error?.issues ?? []).map(atPlace);

export async function refusalOf(error: unknown): Promise<Refusal> {
  const { data } = error as { data?: { issues?: ApiIssue[] | null; gone?: Gone | null } | null };
  const issues = data?.issues ?? [];
  const message = error instanceof Error ? error.message : String(error);
  if (!issues.some(({ reason }) => reason !== undefined))
    return { message, issues: issues.map(atPlace), ...(data?.gone && { data: { gone: data.gone } }) };
  // Few forms have such rules, so the sentences load when one is broken. Without them the server's own stand.
  const sentences = await import("shared/core/reason").catch(() => null);
  return {
    message,
    issues: issues.map((issue) =>
      sentences === null || issue.reason === undefined
        ? atPlace(issue)
        : { ...atPlace(issue), message: sentences.describeReason(issue.reason, t) },
    ),
  };
}

/** The message without the path that it may begin with, since it is shown at that place. For a variable the server names the whole map. */
const atPlace = ({ path, message, reason }: ApiIssue): Issue => ({
  path: reason?.code === "slot_gone" ? [...path, reason.group, String(reason.slot)] : path,
  message: inReadersWords(messageAtPlace({ path, message })),
});

/** A schema's message in the reader's language; other sentences stay unchanged. */
function inReadersWords(sentence: string): string {
  const found = findRule(sentence);
  return found === undefined ? sentence : translated(found.text, found.values, sentence);
}
