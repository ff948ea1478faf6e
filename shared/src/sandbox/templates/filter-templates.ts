import type { TemplateRecord } from "./record.ts";

/** The templates that a list's query asks for. Names and contents match by containing; values of the others in either case, or a list of them. */
export function filterTemplates(records: readonly TemplateRecord[], query: URLSearchParams): TemplateRecord[] {
  const { name, content, nameOrContent } = {
    name: lower(query.get("name")),
    content: lower(query.get("content")),
    nameOrContent: lower(query.get("name_or_content")),
  };
  const statuses = listOf(query.get("status"));
  const categories = listOf(query.get("category"));
  const languages = listOf(query.get("language"));
  const scores = listOf(query.get("quality_score"));
  return records.filter(
    (record) =>
      (name === null || record.name.includes(name)) &&
      (content === null || contentOf(record).includes(content)) &&
      (nameOrContent === null || record.name.includes(nameOrContent) || contentOf(record).includes(nameOrContent)) &&
      (statuses === null || statuses.includes(record.status.toLowerCase())) &&
      (categories === null || categories.includes(record.category.toLowerCase())) &&
      (languages === null || languages.includes(record.language.toLowerCase())) &&
      (scores === null || scores.includes(record.quality.score.toLowerCase())),
  );
}

function lower(value: string | null): string | null {
  return value === null || value === "" ? null : value.toLowerCase();
}

// Written as one word, with commas, or as a JSON array.
function listOf(value: string | null): string[] | null {
  const words = lower(value)?.match(/[a-z0-9_]+/g) ?? null;
  return words;
}

function contentOf({ components }: TemplateRecord): string {
  return components
    .flatMap((component) => ("text" in component ? [component.text] : []))
    .join("\n")
    .toLowerCase();
}
