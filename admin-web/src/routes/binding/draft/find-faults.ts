import { mapErrors } from "shared/core/binding";
import { createBindingInput } from "shared/core/input/bindings";
import type { TemplateDefinition } from "shared/core/template/definition";
import type { Issue } from "../../../ui/form/field-errors.ts";
import type { SavedBinding } from "./binding-draft.ts";

/** What is wrong, by the field's name, as in `variableMap.body.1.path`. */
export type Faults = Partial<Record<string, string>>;

const missing = { siteId: "Choose a site.", event: "Name the event.", templateId: "Choose a template." } as const;

/** What the server would refuse, by its own rules. */
export function findFaults(input: SavedBinding, template: TemplateDefinition | undefined): Faults {
  const result = createBindingInput.safeParse(input);
  const faults = placeIssues(result.error?.issues ?? []);
  for (const name of ["siteId", "event", "templateId"] as const) if (input[name] === "") faults[name] = missing[name];
  const ofMap = template === undefined ? [] : mapErrors(input.variableMap, template);
  return { ...placeIssues(ofMap.map((message) => ({ path: ["variableMap"], message }))), ...faults };
}

/** Each message at its field. Those that say by themselves where they belong, `body.3: …`, need not say it there. */
export function placeIssues(issues: readonly Issue[]): Faults {
  return Object.fromEntries(
    issues.map(({ path, message }) => {
      const [, place = "", text = message] = /^([\w.]+): (.*)$/su.exec(message) ?? [];
      const given = path.join(".");
      const name = given === "variableMap" && place !== "" ? `variableMap.${place}` : given;
      return [name, sentence(text)];
    }),
  );
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
