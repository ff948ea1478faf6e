import { searchDay, searchReader, searchText } from "../../ui/list/search-params.ts";

export const readAuditSearch = searchReader({ search: searchText, actor: searchText, action: searchText, from: searchDay, to: searchDay });
export type AuditSearch = ReturnType<typeof readAuditSearch>;
