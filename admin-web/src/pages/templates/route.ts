import { templateStatuses } from "shared/core/template/definition";
import { searchAmong, type SearchOf, searchReader, searchText } from "../../ui/list/search-params.ts";

const filters = { status: searchAmong(templateStatuses), search: searchText };

export type TemplatesSearch = SearchOf<typeof filters>;

export const readTemplatesSearch = searchReader(filters);

const gallery = {
  /** A code of the gallery's languages, or any other text. */
  language: searchText,
  search: searchText,
};

/** The filters of the gallery. */
export type GallerySearch = SearchOf<typeof gallery>;

export const readGallerySearch = searchReader(gallery);
