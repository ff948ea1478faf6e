import type { Expected } from "../event/event-oracle.ts";
import { rowOf } from "./documented-answers.ts";
import type { WireAnswer } from "./read-answers.ts";

/** What the answer is, in the words of the documentation; null: nothing documented. */
export function kindOf(answer: WireAnswer): Expected | null {
  if (answer.status === 204) return answer.headers["access-control-allow-methods"] === "POST, OPTIONS" ? "preflight" : null;
  if (answer.status === 200) return isAccepted(answer) ? "accepted" : "page";
  return rowOf(answer);
}

export const isAccepted = ({ status, body }: WireAnswer): boolean => status === 200 && body.startsWith('{"ok":true,');

/** Whether nothing comes behind it on its connection. */
export const isLast = ({ headers }: WireAnswer): boolean => headers["connection"] === "close";
