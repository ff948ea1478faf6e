import { searchId, searchReader, searchTrue } from "../../ui/list/search-params.ts";

/** The start of a new template. */
export const readNewTemplateSearch = searchReader({
  /** The template whose text the new one begins with. */
  from: searchId,
  /** True if the assistant translates that text. */
  translate: searchTrue,
  /** True for the same message in another language. */
  addLanguage: searchTrue,
});
