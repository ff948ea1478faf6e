import { searchDay, type SearchOf, searchReader, searchText } from "../../ui/search-params.ts";

const filters = { actor: searchText, action: searchText, from: searchDay, to: searchDay };

export type AuditSearch = SearchOf<typeof filters>;

export const readAuditSearch = searchReader(filters);
