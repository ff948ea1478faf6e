import type { FilledMessage } from "./fill-template.ts";

/** What is kept of a message as one JSON text: nothing is ever looked up by it. */
export interface MessageContent extends FilledMessage {
  template: string;
  language: string;
  category: string;
  /** As sent. */
  components: unknown;
  /** The whole message in plain text. */
  text: string;
  waId: string;
  reference: string | null;
  version: number | null;
  /** Of the failure that awaits it, if any. */
  code: number | null;
}
