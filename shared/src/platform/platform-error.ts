import type { ErrorFacts } from "./errors/read-error.ts";

/** A management call that did not succeed; the message is the platform's own words where it answered. */
export class PlatformError extends Error {
  override name = "PlatformError";
  /** Null when the platform could not be reached or said nothing that can be read. */
  readonly facts: ErrorFacts | null;

  constructor(message: string, facts: ErrorFacts | null = null) {
    super(message);
    this.facts = facts;
  }
}
