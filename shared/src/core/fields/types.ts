import type { Field } from "./learn.ts";

export const typeLanguages = ["typescript", "json-schema", "python", "go"] as const;
export type TypeLanguage = (typeof typeLanguages)[number];

/** An event's name with its learned fields. */
export interface EventFields {
  name: string;
  fields: readonly Pick<Field, "path" | "type">[];
}

/**
 * The types of events' payloads in a language, from what was learned of them: every field is optional, and one that had several types has any. Each type is
 * called as its event in Pascal case, with a number behind if the name is taken. `left`: how many event names were left out.
 */
export function writeTypes(language: TypeLanguage, events: readonly EventFields[], left = 0): string {
  const sorted = events.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const shapes = sorted.map(({ name, fields }) => ({ name, shape: shapeOf(fields) }));
  return writers[language](shapes, left === 0 ? null : `${left} event names that came longer ago are left out.`);
}

/** What stands at a path. */
interface Shape {
  kinds: Set<Field["type"]>;
  members: Map<string, Shape>;
  element: Shape | null;
}

const emptyShape = (): Shape => ({ kinds: new Set(), members: new Map(), element: null });

function shapeOf(fields: EventFields["fields"]): Shape {
  const root = emptyShape();
  root.kinds.add("object");
  // A list comes before its elements by index, so that these are known as such: the path of all tells the type of the first alone.
  const sorted = fields
    .map(({ path, type }) => ({ type, path: path.replaceAll("[]", "\0") }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, type } of sorted) {
    let at = root;
    for (const key of path.replaceAll("\0", ".[]").split(".")) at = within(at, key);
    if (type !== "null") at.kinds.add(type);
  }
  return root;
}

/** The shape of a member or of all elements. */
function within(shape: Shape, key: string): Shape {
  if (key === "[]" || (shape.kinds.has("array") && /^\d+$/.test(key))) {
    shape.kinds.add("array");
    return (shape.element ??= emptyShape());
  }
  shape.kinds.add("object");
  const found = shape.members.get(key) ?? emptyShape();
  shape.members.set(key, found);
  return found;
}

/** The one kind of a shape; null: any. */
const kindOf = ({ kinds }: Shape): Field["type"] | null => (kinds.size === 1 ? ([...kinds][0] ?? null) : null);

interface Named {
  name: string;
  shape: Shape;
}

type Writer = (events: readonly Named[], note: string | null) => string;

/** Words that are no name of a type in some language, or have another meaning there. */
const reserved = ["None", "True", "False", "Any", "TypedDict"];

/** Gives names in Pascal case, each once. */
function namer(prefix: string, taken: readonly string[] = []): (text: string) => string {
  const used = new Set(taken);
  return (text) => {
    const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
    const pascal = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
    const base = /^[A-Z]/.test(pascal) ? pascal : prefix + pascal;
    let name = base;
    for (let number = 2; used.has(name); number += 1) name = base + number;
    used.add(name);
    return name;
  };
}

const noteIn = (mark: string, note: string | null): string => (note === null ? "" : `${mark} ${note}\n\n`);

const typescript: Writer = (events, note) => {
  const nameFor = namer("Event", reserved);
  const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
  const typeOf = (shape: Shape, indent: string): string => {
    const kind = kindOf(shape);
    if (kind === "object") return shape.members.size === 0 ? "Record<string, unknown>" : body(shape, indent);
    if (kind === "array") return shape.element === null ? "unknown[]" : `${typeOf(shape.element, indent)}[]`;
    return kind ?? "unknown";
  };
  const body = ({ members }: Shape, indent: string): string =>
    `{\n${[...members].map(([name, inner]) => `${indent}  ${key(name)}?: ${typeOf(inner, `${indent}  `)};\n`).join("")}${indent}}`;
  const all = events.map(({ name, shape }) => `/** The payload of \`${name}\`. */\nexport interface ${nameFor(name)} ${body(shape, "")}\n`);
  return noteIn("//", note) + (all.length === 0 ? "export {};\n" : all.join("\n"));
};

const jsonSchema: Writer = (events, note) => {
  const schemaOf = (shape: Shape): object => {
    const kind = kindOf(shape);
    if (kind === null) return {};
    if (kind === "array") return { type: kind, ...(shape.element && { items: schemaOf(shape.element) }) };
    if (kind !== "object" || shape.members.size === 0) return { type: kind };
    return { type: kind, properties: fromEntries([...shape.members].map(([name, inner]) => [name, schemaOf(inner)])) };
  };
  const $defs = fromEntries(events.map(({ name, shape }) => [name, schemaOf(shape)]));
  const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", ...(note !== null && { $comment: note }), $defs };
  return `${JSON.stringify(schema, null, 2)}\n`;
};

/** Also with a member that is called `__proto__`. */
const fromEntries = (entries: (readonly [string, object])[]): object => Object.fromEntries(entries);

interface Declared {
  name: string;
  event: string | null;
  members: { key: string; type: string }[];
}

interface Spelling {
  object: string;
  any: string;
  scalars: Record<"string" | "number" | "boolean", string>;
  list: (element: string) => string;
}

/** The types of events and of the objects within them, each before those that name it. */
function declare(events: readonly Named[], { object, any, scalars, list }: Spelling): Declared[] {
  const nameFor = namer("Event", reserved);
  const names = new Map(events.map(({ name }) => [name, nameFor(name)]));
  const declared: Declared[] = [];
  const typeOf = (shape: Shape, name: string): string => {
    const kind = kindOf(shape);
    if (kind === null || kind === "null") return any;
    if (kind === "array") return list(shape.element === null ? any : typeOf(shape.element, name));
    if (kind !== "object") return scalars[kind];
    return shape.members.size === 0 ? object : add(shape, nameFor(name), null);
  };
  const add = ({ members }: Shape, name: string, event: string | null): string => {
    const own = [...members].map(([key, inner]) => ({ key, type: typeOf(inner, `${name}.${key}`) }));
    declared.push({ name, event, members: own });
    return name;
  };
  for (const { name, shape } of events) add(shape, names.get(name) ?? name, name);
  return declared;
}

const python: Writer = (events, note) => {
  const all = declare(events, {
    object: "dict[str, Any]",
    any: "Any",
    scalars: { string: "str", number: "float", boolean: "bool" },
    list: (element) => `list[${element}]`,
  });
  const lines = all.map(({ name, event, members }) => {
    const fields = members.map(({ key, type }) => `    ${JSON.stringify(key)}: ${type},\n`).join("");
    return `${event === null ? "" : `# The payload of ${event}\n`}${name} = TypedDict("${name}", {\n${fields}}, total=False)\n`;
  });
  return `${noteIn("#", note)}from typing import Any, TypedDict\n\n${lines.join("\n")}`;
};

const go: Writer = (events, note) => {
  const all = declare(events, {
    object: "map[string]any",
    any: "any",
    scalars: { string: "string", number: "float64", boolean: "bool" },
    list: (element) => `[]${element}`,
  });
  const lines = all.map(({ name, event, members }) => {
    const nameFor = namer("Field");
    const fields = members.map(({ key, type }) => {
      if (!taggable.test(key)) return `\t// ${JSON.stringify(key)} has no tag in Go\n`;
      const optional = /^(?:any$|map|\[)/.test(type) ? type : `*${type}`;
      return `\t${nameFor(key)} ${optional} \`json:"${key},omitempty"\`\n`;
    });
    return `${event === null ? "" : `// ${name} is the payload of ${event}.\n`}type ${name} struct {\n${fields.join("")}}\n`;
  });
  return `${noteIn("//", note)}package events\n${lines.map((text) => `\n${text}`).join("")}`;
};

/** The keys that `encoding/json` reads in a tag. */
const taggable = /^[\p{L}\p{Nd}!#$%&()*+\-./:;<=>?@[\]^_{|}~ ]+$/u;

const writers: Record<TypeLanguage, Writer> = { typescript, "json-schema": jsonSchema, python, go };
