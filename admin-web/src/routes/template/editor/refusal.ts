import type { Fault } from "shared/core/template/check";
import { issuesOf } from "../../../ui/form/field-errors.ts";

/** Why the server, or the platform behind it, did not do what was asked for. Plain data, so that it outlasts the way to the template's own page. */
export interface Refusal {
  asked: "save" | "submit";
  message: string;
  /** Empty where it is about no field. */
  faults: Fault[];
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    refusal?: Refusal | undefined;
  }
}

export function refusalOf(asked: Refusal["asked"], error: unknown): Refusal {
  const faults = issuesOf(error).map(({ path, message }) => {
    const field = path.join(".");
    // The server's checks begin a message with the field's path; a header's file has one field here, however it is named.
    return { field: field.replace("header.fileId", "header.url"), message: message.replace(`${field}: `, "") };
  });
  return { asked, message: error instanceof Error ? error.message : String(error), faults };
}
