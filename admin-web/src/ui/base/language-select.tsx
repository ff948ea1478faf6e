import { NativeSelect } from "@mantine/core";
import { chosenLanguage, type Language, languageKey, languageNames, t, tellServer } from "../../language.ts";
import { bound } from "./fields.ts";

/** Languages that nobody has proofread. */
const drafts: readonly Language[] = ["es", "pt", "ar"];

const choices = Object.entries(languageNames).map(([value, name]) => ({
  value,
  label: drafts.some((each) => each === value) ? t("{name} (draft)", { name }) : name,
}));

/** Changes this browser's language, at once. */
export const LanguageSelect = () => (
  <NativeSelect
    w="fit-content"
    aria-label={t("Language")}
    data={[{ value: "", label: t("Browser language") }, ...choices]}
    {...bound(chosenLanguage() ?? "", choose)}
  />
);

/** Loads the page anew, in that language; empty: in the browser's. */
function choose(chosen: string): void {
  if (chosen === "") localStorage.removeItem(languageKey);
  else localStorage.setItem(languageKey, chosen);
  tellServer();
  location.reload();
}
