import type { HeaderFile } from "shared/core/template/definition";
import { languageProblem } from "shared/core/template/definition";
import type { MediaFormat } from "shared/core/template/definition";
import type { UncheckedTemplate } from "shared/core/template/draft";

/** What the editor's fields hold: each keeps its own while others are chosen, so that nothing is lost by a change of mind. */
export interface TemplateValues {
  name: string;
  language: string;
  category: string;
  header: HeaderValues;
  body: string;
  /** By the variable's number, from 1. */
  bodyExamples: string[];
  footer: string;
  buttons: ButtonValues[];
}

export interface HeaderValues extends MediaValues {
  format: "NONE" | "TEXT" | MediaFormat;
  text: string;
  example: string;
}

export interface MediaValues {
  by: "url" | "file";
  url: string;
  file: Pick<HeaderFile, "id" | "name"> | null;
}

export type ButtonType = NonNullable<UncheckedTemplate["buttons"]>[number]["type"];

export interface ButtonValues {
  /** Stays with it wherever it is moved. */
  key: number;
  type: ButtonType;
  text: string;
  url: string;
  /** Of the variable in its address. */
  example: string;
  phone: string;
}

export const emptyValues = (language: string): TemplateValues => ({
  name: "",
  language,
  category: "UTILITY",
  header: { format: "NONE", text: "", example: "", by: "file", url: "", file: null },
  body: "",
  bodyExamples: [],
  footer: "",
  buttons: [],
});

export const newButton = (type: ButtonType, buttons: readonly ButtonValues[]): ButtonValues => ({
  key: Math.max(0, ...buttons.map(({ key }) => key)) + 1,
  type,
  text: "",
  url: "",
  example: "",
  phone: "",
});

/** The platform's code for what a browser calls its language; English for one that the platform does not have. */
export function likelyLanguage(tag: string): string {
  const [whole, language = ""] = [tag.replace("-", "_"), tag.split("-", 1)[0]];
  return [whole, language].find((code) => languageProblem(code) === null) ?? "en";
}
