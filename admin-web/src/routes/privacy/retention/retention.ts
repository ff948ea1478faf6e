import type { Settings } from "../../../session/with-settings.tsx";

export type Retention = Settings["retention"];

/** Whether a change lets something be removed that is there now. */
export const isShorter = (next: Retention, stored: Retention): boolean =>
  next.payloadDays < stored.payloadDays || next.logDays < stored.logDays;

/** What goes with each of the two, and what stays. */
export const retentionWords = {
  payloadDays: "The text of each event as it was received, the notes of its way, and samples of its fields.",
  logDays: "Events and messages, orders whose last event is gone, deleted sites, and what the sandbox phone holds.",
  stays: "Counts by day, the audit, everything that was set up, and who opted out.",
};
