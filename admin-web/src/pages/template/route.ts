import { searchId } from "../../ui/search-params.ts";

export interface NewTemplateSearch {
  /** The template whose text the new one begins with. */
  from?: string | undefined;
  /** The assistant translates it. */
  translate?: true | undefined;
  /** The new one is the same message in another language. */
  addLanguage?: true | undefined;
}

export const readNewTemplateSearch = ({ from, translate, addLanguage }: Record<string, unknown>): NewTemplateSearch => ({
  from: searchId(from),
  translate: translate === true ? true : undefined,
  addLanguage: addLanguage === true ? true : undefined,
});
