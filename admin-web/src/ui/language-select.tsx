import { NativeSelect } from "@mantine/core";
import { chooseLanguage, chosenLanguage, type Language, languageNames, t } from "../language.ts";

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
    value={chosenLanguage() ?? ""}
    onChange={({ currentTarget: { value } }) => chooseLanguage(choices.some((each) => each.value === value) ? (value as Language) : null)}
  />
);
