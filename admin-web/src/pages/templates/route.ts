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

/** What the gallery shows. */
export interface GallerySearch {
  /** A code of the gallery's languages, or any other text. */
  language?: string | undefined;
  search?: string | undefined;
}

export const readGallerySearch = ({ language, search }: Record<string, unknown>): GallerySearch => ({
  language: searchText(language),
  search: searchText(search),
});
