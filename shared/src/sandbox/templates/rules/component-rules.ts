import { templateRefusal } from "../../errors/graph-error.ts";
import type { TemplateComponent, TemplateRecord } from "../record.ts";
import { checkBody } from "./body-rules.ts";
import { checkButtons } from "./button-rules.ts";
import { checkFooter } from "./footer-rules.ts";
import { checkHeader } from "./header-rules.ts";

/** Throws the platform's refusal of the first component that breaks a rule. */
export function checkComponents(components: readonly TemplateComponent[], format: TemplateRecord["parameterFormat"]): void {
  // Named variables that were not announced as such pass here and are rejected in review.
  const named = format === "NAMED" || components.some((component) => "text" in component && /\{\{[a-z_]/.test(component.text));
  const types = components.map(({ type }) => type);
  if (!types.includes("BODY")) throw templateRefusal(2388072, "Message body format is incorrect", "A template must have a body.");
  const twice = types.find((type, index) => types.indexOf(type) !== index);
  if (twice !== undefined)
    throw templateRefusal(undefined, "Components are incorrect", `A template can have one component of type ${twice}.`);
  for (const component of components) {
    switch (component.type) {
      case "HEADER":
        checkHeader(component, named);
        break;
      case "BODY":
        checkBody(component, named);
        break;
      case "FOOTER":
        checkFooter(component);
        break;
      case "BUTTONS":
        checkButtons(component.buttons);
        break;
    }
  }
}
