import { describeReason, type Reason } from "shared/core/reason";
import { placeOf } from "shared/core/text";
import { english, type Said, write } from "shared/core/wording";
import { loadTexts, t, translated } from "./language.ts";

let loading: Promise<void> | undefined;

/** Loads the texts of refusals, which no page needs before the first refusal. A failed load is tried again with the next one. */
export const loadRefusals = (): Promise<void> =>
  (loading ??= loadTexts("refusals", "shared", "forms").catch(() => {
    loading = undefined;
  }));

/** A sentence of the server in the reader's language, as far as its texts are loaded and known: an older dashboard lacks some of a newer server. */
export const inReadersWords = (said: Said): string => write(said, (text, values) => translated(text, values, english(text, values)));

/** An error of the server, as far as it can be written in another language. */
export interface Refused {
  message: string;
  data?: { said: Said | null; issues: RefusedMember[] | null } | null | undefined;
}

interface RefusedMember {
  path: PropertyKey[];
  message: string;
  said?: Said | undefined;
  reason?: Reason | undefined;
}

/** Writes a refusal and its issues in the reader's language. Texts that the server does not give as data stay unchanged. */
export async function translateRefusal(error: Refused): Promise<void> {
  const { said = null, issues = null } = error.data ?? {};
  if (said === null && issues === null) return;
  await loadRefusals();
  for (const issue of issues ?? []) issue.message = messageOf(issue);
  const message = said === null ? issues?.map(placed).join("; ") : inReadersWords(said);
  if (message !== undefined) Object.assign(error, { message });
}

function messageOf({ message, said, reason }: RefusedMember): string {
  if (said !== undefined) return inReadersWords(said);
  return reason === undefined ? message : describeReason(reason, t);
}

function placed({ path, message }: { path: PropertyKey[]; message: string }): string {
  const place = placeOf(path);
  return place === "" || message.startsWith(`${place}: `) ? message : `${place}: ${message}`;
}
