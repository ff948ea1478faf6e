import { searchId } from "../../ui/search-params.ts";

export interface NewTemplateSearch {
  /** The template whose text the new one begins with. */
  from?: string | undefined;
}

export const readNewTemplateSearch = ({ from }: Record<string, unknown>): NewTemplateSearch => ({ from: searchId(from) });
