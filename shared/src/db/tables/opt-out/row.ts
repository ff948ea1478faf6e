import type { OptOutScope, OptOutSource } from "../../../core/opt-out.ts";

/** Somebody who does not want the account's messages. */
export interface OptOutRow {
  id: string;
  /** E.164; null once erased. */
  phone: string | null;
  scope: OptOutScope;
  source: OptOutSource;
  /** The platform's error, where that was the word. */
  code: string | null;
  since: Date;
}
