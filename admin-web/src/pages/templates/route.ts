import { templateStatuses, type TemplateStatus } from "shared/core/template/definition";
import { searchOneOf, searchText } from "../../ui/search-params.ts";

/** The filters of the templates, as they stand in the address. */
export interface TemplatesSearch {
  status?: TemplateStatus | undefined;
  search?: string | undefined;
}

export const readTemplatesSearch = ({ status, search }: Record<string, unknown>): TemplatesSearch => ({
  status: searchOneOf(templateStatuses, status),
  search: searchText(search),
});
