import { searchId, type SearchOf, searchReader, searchText } from "../../ui/search-params.ts";

const filters = {
  siteId: searchId,
  event: searchText,
  templateId: searchId,
  /** A part of the path of a field that the bindings read. */
  field: searchText,
};

export type BindingsSearch = SearchOf<typeof filters>;

export const readBindingsSearch = searchReader(filters);
