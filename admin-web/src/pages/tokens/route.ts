import { roles } from "shared/core/role";
import { searchAmong, searchReader, searchText } from "../../ui/list/search-params.ts";

export const readTokensSearch = searchReader({ search: searchText, role: searchAmong(roles) });
export type TokensSearch = ReturnType<typeof readTokensSearch>;
