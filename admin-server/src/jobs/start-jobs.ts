import { forgetUnusedMedia } from "shared/db/tables/media-file/write";
import { repeat } from "shared/server/repeat";
import type { AdminContext } from "../context.ts";
import { pollTemplates } from "./poll-templates.ts";
import type { PollTimes } from "./poll-times.ts";

const forgetMs = 3_600_000;
/** Who asks for fields has the newest learned at once; the rest only must not pile up. */
const learnMs = 5_000;

/** What any admin server does beside answering requests. The answer stops it and waits for what is under way. */
export function startJobs(context: AdminContext, times: PollTimes): () => Promise<void> {
  const stops = [
    pollTemplates(context, times),
    repeat(() => forgetUnusedMedia(context.sql), forgetMs, context.log),
    repeat(() => context.learner.round(), learnMs, context.log),
  ];
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}
