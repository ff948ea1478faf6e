import type { PlainJson } from "./layout.ts";

/** An event to post, and who posts it. */
export interface EventToPost {
  /** Where it goes: the whole address. */
  url: string;
  siteKey: string;
  webhookSecret: string;
  payload: PlainJson;
}
