import type { MediaFormat, TemplateButton, TemplateComponent, TemplateRecord } from "./record.ts";
import { slotNames } from "./variables.ts";

/** What a send needs to know of a template, worked out once. */
export interface TemplateShape {
  named: boolean;
  header: { format: "TEXT"; text: string; slots: string[] } | { format: MediaFormat | "LOCATION" } | null;
  body: { text: string; slots: string[] };
  footer: string | null;
  buttons: readonly TemplateButton[];
}

const shapes = new WeakMap<readonly TemplateComponent[], TemplateShape>();

export function shapeOf(record: TemplateRecord): TemplateShape {
  const known = shapes.get(record.components);
  if (known !== undefined) return known;
  const shape = makeShape(record);
  shapes.set(record.components, shape);
  return shape;
}

function makeShape({ components, parameterFormat }: TemplateRecord): TemplateShape {
  const named = parameterFormat === "NAMED";
  const shape: TemplateShape = { named, header: null, body: { text: "", slots: [] }, footer: null, buttons: [] };
  for (const component of components) {
    switch (component.type) {
      case "HEADER":
        shape.header =
          component.format === "TEXT"
            ? { format: "TEXT", text: component.text, slots: slotNames(component.text, named) }
            : { format: component.format };
        break;
      case "BODY":
        shape.body = { text: component.text, slots: slotNames(component.text, named) };
        break;
      case "FOOTER":
        shape.footer = component.text;
        break;
      case "BUTTONS":
        shape.buttons = component.buttons;
        break;
    }
  }
  return shape;
}
