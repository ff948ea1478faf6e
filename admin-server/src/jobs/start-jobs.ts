import { forgetUnusedMedia } from "shared/db/media-file";
import { repeat } from "shared/server/startup";
import type { AdminContext } from "../context.ts";
import { type ErasingTimes, workOnErasures } from "../erasing/work-on-erasures.ts";
import { countDueDays } from "./count-days.ts";
import { keepRetention } from "./keep-retention.ts";
import { pollTemplates } from "./poll-templates.ts";
import type { PollTimes } from "./poll-times.ts";
import { resendMany } from "./resend-many.ts";

const forgetMs = 3_600_000;
/** Who asks for fields has the newest learned at once; the rest only must not pile up. */
const learnMs = 5_000;
/** How late a late status is in the statistics, about. */
const countMs = 60_000;
const resendMs = 1_000;

export interface JobTimes {
  polling: PollTimes;
  erasing: ErasingTimes;
  /** Between two looks whether it is time to forget what is too old, in milliseconds. */
  retentionMs: number;
}

/** What any admin server does beside answering requests. The answer stops it and waits for what is under way. */
export function startJobs(context: AdminContext, { polling, erasing, retentionMs }: JobTimes): () => Promise<void> {
  const stops = [
    pollTemplates(context, polling),
    repeat(() => forgetUnusedMedia(context.sql), forgetMs, context.log),
    repeat(() => context.learner.round(), learnMs, context.log),
    repeat(() => countDueDays(context), countMs, context.log),
    repeat(() => keepRetention(context), retentionMs, context.log),
    repeat(() => workOnErasures(context, erasing), erasing.tickMs, context.log),
    repeat(() => resendMany(context), resendMs, context.log),
  ];
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}
