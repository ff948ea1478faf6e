import { searchId, searchReader, searchText } from "../../ui/list/search-params.ts";

export const readBindingsSearch = searchReader({
  search: searchText,
  siteId: searchId,
  event: searchText,
  templateId: searchId,
  /** A part of the path of a field that the bindings read. */
  field: searchText,
});
export type BindingsSearch = ReturnType<typeof readBindingsSearch>;
