import { searchId, searchText } from "../../ui/search-params.ts";

/** What a new binding begins with. */
export interface NewBindingSearch {
  siteId?: string | undefined;
  event?: string | undefined;
  templateId?: string | undefined;
  /** A binding whose template, recipient and slots it takes over. */
  copyOf?: string | undefined;
}

export const readNewBindingSearch = ({ siteId, event, templateId, copyOf }: Record<string, unknown>): NewBindingSearch => ({
  siteId: searchId(siteId),
  event: searchText(event),
  templateId: searchId(templateId),
  copyOf: searchId(copyOf),
});
