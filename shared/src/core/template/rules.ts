import type { Write } from "../wording.ts";

/** The faults of a template, each at a field of its input. */
export interface RuleDetails {
  // Effects of a template's text
  punctuation_behind_variable: object;
  buttons_folded: object;
  buttons_not_on_desktop: object;
  ttl_of_marketing: object;
  // The platform's rules
  empty: object;
  one_line: object;
  one_line_without_variables: object;
  no_emoji: object;
  no_markup: object;
  no_variables: object;
  one_variable: object;
  too_many_characters: { limit: number };
  too_many_emoji: { limit: number };
  too_many_line_breaks: object;
  too_many_variables: { variables: number; words: number };
  variable_at_edge: object;
  variable_malformed: object;
  variables_with_gaps: object;
  variables_adjacent: object;
  name_characters: object;
  name_reserved: object;
  language_unknown: { instead: string | null };
  category_unknown: { categories: readonly string[] };
  category_fixed_text: object;
  only_for_codes: object;
  ttl_out_of_range: { least: number; most: number; endless: boolean };
  category_of_other_language: { category: string; template: string; language: string };
  too_many_buttons: { limit: number };
  too_many_url_buttons: { limit: number };
  too_many_phone_buttons: object;
  replies_apart: object;
  no_phone_number: { limit: number };
  no_http_address: { limit: number };
  address_variable: object;
  address_variable_in_host: object;
  address_of_whatsapp: object;
  file_missing: object;
  file_not_chosen: object;
  file_given_twice: object;
  examples_missing: { count: number };
  examples_unneeded: object;
  // Parts that the platform takes but its reviewers, or people, often do not
  variables_close: object;
  few_words: { variables: number; words: number };
  spaces_in_row: object;
  example_repeated: object;
  example_long: { limit: number };
  address_shortened: { host: string };
  address_unencrypted: object;
  no_country_code: object;
  label_repeated: object;
  words_promotional: { words: readonly string[] };
  one_time_code: object;
  language_unlike: { seems: string };
}

/** The broken rules as clauses behind the field's name; rules of more than one field name it themselves. */
export const ruleSentences: { [Code in keyof RuleDetails]: (details: RuleDetails[Code], t: Write) => string } = {
  punctuation_behind_variable: (_, t) =>
    t("body: only punctuation follows the last variable, so WhatsApp may treat it as a variable at the end."),
  buttons_folded: (_, t) => t('buttons: with more than three, phones show two and "See all options".'),
  buttons_not_on_desktop: (_, t) => t("buttons: four or more, or quick replies mixed with others, are not shown on desktops."),
  ttl_of_marketing: (_, t) => t("ttlSeconds: it counts only where marketing goes through the Marketing Messages API."),
  empty: (_, t) => t("must not be empty"),
  one_line: (_, t) => t("must be one line"),
  one_line_without_variables: (_, t) => t("must be one line without variables"),
  no_emoji: (_, t) => t("must not contain emoji"),
  no_markup: (_, t) => t("must not contain asterisks or other markup"),
  no_variables: (_, t) => t("must not contain variables"),
  one_variable: (_, t) => t("must contain at most one variable"),
  too_many_characters: ({ limit }, t) => t("must be at most {limit} characters long", { limit }),
  too_many_emoji: ({ limit }, t) => t("must contain at most {limit} emoji", { limit }),
  too_many_line_breaks: (_, t) => t("must not contain more than two line breaks in a row"),
  too_many_variables: ({ variables, words }, t) =>
    t("has too many variables for its length: {variables} in {words} words", { variables, words }),
  variable_at_edge: (_, t) => t("must not begin or end with a variable"),
  variable_malformed: (_, t) =>
    t("has a malformed variable: write {first}, {second} and so on, without spaces", { first: "{{1}}", second: "{{2}}" }),
  variables_with_gaps: (_, t) => t("must number its variables from {first} without gaps", { first: "{{1}}" }),
  variables_adjacent: (_, t) => t("must have text between two variables"),
  name_characters: (_, t) => t("must contain only lower-case letters a-z, digits and underscores"),
  name_reserved: (_, t) => t("is reserved for WhatsApp's own samples"),
  language_unknown: ({ instead }, t) =>
    instead === null ? t("is not a WhatsApp language code") : t("is not a WhatsApp language code; use {instead}", { instead }),
  category_unknown: ({ categories }, t) =>
    t("must be {categories}", { categories: categories.reduce((before, last) => t("{before} or {last}", { before, last })) }),
  category_fixed_text: (_, t) => t("must be left out: WhatsApp writes the text of AUTHENTICATION templates"),
  only_for_codes: (_, t) => t("must be left out: only AUTHENTICATION templates have it"),
  ttl_out_of_range: ({ least, most, endless }, t) =>
    endless
      ? t("must be {least, number} to {most, number} seconds for this category, or -1 for 30 days", { least, most })
      : t("must be {least, number} to {most, number} seconds for this category", { least, most }),
  category_of_other_language: ({ category, template, language }, t) =>
    t("must be {category}, because {template} in {language} is: all languages of a template have the same category", {
      category,
      template,
      language,
    }),
  too_many_buttons: ({ limit }, t) => t("must be at most {limit}", { limit }),
  too_many_url_buttons: ({ limit }, t) => t("must have at most {limit} URL buttons", { limit }),
  too_many_phone_buttons: (_, t) => t("must have at most one phone button"),
  replies_apart: (_, t) => t("must have the quick replies together, before or after all others"),
  no_phone_number: ({ limit }, t) => t("must be a phone number of at most {limit} characters, as in +4930123456", { limit }),
  no_http_address: ({ limit }, t) => t("must be an http or https address of at most {limit} characters", { limit }),
  address_variable: (_, t) => t("may contain one variable, {first}, at the very end", { first: "{{1}}" }),
  address_variable_in_host: (_, t) =>
    t("must not have its variable in the server's name: write {example}", { example: "https://shop.example/{{1}}" }),
  address_of_whatsapp: (_, t) => t("must not lead to wa.me or whatsapp.com"),
  file_missing: (_, t) => t("must be given: a file's address, or an uploaded file as header.fileId"),
  file_not_chosen: (_, t) => t("must be chosen: upload a file"),
  file_given_twice: (_, t) => t("must not be given together with header.url: give only one of them"),
  examples_missing: ({ count }, t) => t("must contain one example for each variable: {count}", { count }),
  examples_unneeded: (_, t) => t("must be empty: there is no variable"),
  variables_close: (_, t) => t("has two variables with nothing but spaces between them, which reviewers reject"),
  few_words: ({ variables, words }, t) =>
    t("has few words for its variables ({variables} in {words} words): reviewers cannot tell what it says", { variables, words }),
  spaces_in_row: (_, t) => t("has tabs or several spaces in a row, which phones show and reviewers dislike"),
  example_repeated: (_, t) => t("is also the example of another variable: reviewers take it for a placeholder"),
  example_long: ({ limit }, t) => t("is longer than {limit} characters: give a short example", { limit }),
  address_shortened: ({ host }, t) =>
    t("uses the link shortener {host}, for which templates are rejected: give the full address", { host }),
  address_unencrypted: (_, t) => t("begins with http, and phones warn about that: use https"),
  no_country_code: (_, t) => t("has no country code (+49…), so it can only be called from one country"),
  label_repeated: (_, t) => t("is also the label of another button"),
  words_promotional: ({ words }, t) =>
    t("sounds like advertising ({words}): WhatsApp makes it MARKETING or rejects it", { words: words.join(", ") }),
  one_time_code: (_, t) => t("sends a one-time code, which WhatsApp accepts only in AUTHENTICATION templates: choose that category"),
  language_unlike: ({ seems }, t) => t("does not match the text, which seems to be {seems}", { seems }),
};
