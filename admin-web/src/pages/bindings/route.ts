import { searchId, searchText } from "../../ui/search-params.ts";

/** The filters in the URL. */
export interface BindingsSearch {
  siteId?: string | undefined;
  event?: string | undefined;
  templateId?: string | undefined;
  /** A part of the path of a field that they use. */
  field?: string | undefined;
}

export const readBindingsSearch = ({ siteId, event, templateId, field }: Record<string, unknown>): BindingsSearch => ({
  siteId: searchId(siteId),
  event: searchText(event),
  templateId: searchId(templateId),
  field: searchText(field),
});
