import { parseSync, Visitor } from "oxc-parser";

export interface Import {
  specifier: string;
  /** Gone after compilation: `import type`, `export type … from`, `import("…").Name` in a type. */
  typeOnly: boolean;
  /** What is taken from the module; `*` for all of it. */
  names: string[];
}

/** Everything that a file imports, in whatever form. `path` tells the language by its end. */
export function readImports(path: string, text: string): Import[] {
  const imports: Import[] = [];
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  new Visitor({
    ImportDeclaration: (node) => {
      const names = node.specifiers.map((each) => (each.type === "ImportSpecifier" ? nameOf(each.imported) : "*"));
      imports.push({ specifier: node.source.value, typeOnly: node.importKind === "type", names });
    },
    ExportNamedDeclaration: (node) => {
      if (node.source === null) return;
      const names = node.specifiers.map((each) => nameOf(each.local));
      imports.push({ specifier: node.source.value, typeOnly: node.exportKind === "type", names });
    },
    ExportAllDeclaration: (node) => {
      imports.push({ specifier: node.source.value, typeOnly: node.exportKind === "type", names: ["*"] });
    },
    ImportExpression: (node) => {
      if (node.source.type === "Literal") imports.push({ specifier: String(node.source.value), typeOnly: false, names: ["*"] });
    },
    TSImportType: (node) => {
      imports.push({ specifier: node.source.value, typeOnly: true, names: ["*"] });
    },
  }).visit(program);
  return imports;
}

function nameOf(node: { type: string; name?: string; value?: unknown }): string {
  return node.name ?? String(node.value);
}
