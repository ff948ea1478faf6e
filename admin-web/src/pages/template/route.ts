import { searchId, searchReader, searchTrue } from "../../ui/search-params.ts";

/** What a new template begins with. */
export const readNewTemplateSearch = searchReader({
  /** The template whose text it begins with. */
  from: searchId,
  /** The assistant translates that text. */
  translate: searchTrue,
  /** It is the same message in another language. */
  addLanguage: searchTrue,
});
