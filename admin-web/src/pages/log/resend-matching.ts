import { readLogSearch } from "shared/core/log-search";
import { t, translated } from "../../language.ts";
import type { ResendInput } from "../../ui/resend.tsx";
import { type LogFilters, logFilter } from "./route.ts";

/** The input of a resend, or why the filters match no failed message. */
export function resendFilter(filters: LogFilters): { input: ResendInput } | { why: string } {
  const { search, status, ...rest } = logFilter(filters);
  if (status !== undefined && status !== "failed")
    return {
      why: t("Only failed messages can be resent; the filter shows messages with the status {status}.", { status: translated(status) }),
    };
  if (search === undefined) return { input: rest };
  const meaning = readLogSearch(search);
  if (!("phone" in meaning)) return { why: t("Select the messages to resend, or clear the search.") };
  if (rest.phone !== undefined && rest.phone !== meaning.phone)
    return { why: t("The search and the filter name two different phones, so no message matches.") };
  return { input: { ...rest, phone: meaning.phone } };
}
