import type { Rows } from "../../../ui/news/merge-news.ts";

interface Sent {
  id: string;
  resendOf: string | null;
}

/** Whether there is a message among the newest that was sent again, and is not shown yet. */
export function bringsResend(shown: Rows<Sent> | undefined, newest: Rows<Sent> | undefined): boolean {
  const known = new Set(shown?.items.map(({ id }) => id));
  return newest?.items.some(({ id, resendOf }) => resendOf !== null && !known.has(id)) ?? false;
}
