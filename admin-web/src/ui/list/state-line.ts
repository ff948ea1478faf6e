import { sentenceCase } from "shared/core/text";
import { formatParts } from "../../format.ts";
import { translated } from "../../language.ts";
import { useModeOf } from "../base/site-mode.ts";
import { daysBack } from "./days.ts";
import { daySpan } from "./search-params.ts";
import labels from "./state-labels.json";

/** A number or a text, or a count that may be a lower bound; what is not known yet, or goes without saying, is left out. */
type Told = number | string | { total: number; more: boolean } | false | null | undefined;

/** How things stand, in the line under a page's title. */
export const tellState = <Page extends keyof typeof labels>(
  page: Page,
  known: Partial<Record<keyof (typeof labels)[Page], Told>>,
): string =>
  sentenceCase(
    formatParts(
      Object.entries(labels[page]).map(([name, text]) => {
        const value = (known as Partial<Record<string, Told>>)[name];
        if (value == null || value === false) return "";
        const { total, more } = typeof value === "object" ? value : { total: value, more: false };
        // A lower bound so low tells nothing.
        if (more && Number(total) < 2) return "";
        return translated(text, { [name]: total, more: more ? "+" : "" });
      }),
    ),
  );

/** Today, at the sites that are shown. */
export const useToday = () => ({ ...useModeOf({}), ...daySpan({ from: daysBack(0) }) });
