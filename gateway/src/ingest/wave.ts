import type { PlannedMessage } from "shared/core/plan";

/** How many messages of an event are handed over at once; a crash leaves no more than these in doubt. */
export const waveSize = 20;

/** A message that goes to the platform, as opposed to one that is only logged as failed. */
export const isSendable = (message: PlannedMessage): boolean => message.failure === null;
