import { describeSummary, type EventSummary } from "shared/core/event-summary";
import { t, translated } from "../../language.ts";

/** The result of an event, in one or two sentences. */
export const toldSummary = ({ summaryData }: { summaryData: EventSummary }): string => describeSummary(summaryData, t, translated);
