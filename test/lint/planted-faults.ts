/** A fault for each rule that this project relies on: the linter must name exactly this rule for it. */
export interface PlantedFault {
  rule: string;
  /** File name → text. */
  files: Record<string, string>;
}

export const plantedFaults: PlantedFault[] = [
  one("typescript(no-floating-promises)", "export function run() {\n  Promise.resolve(1);\n}\n"),
  one("typescript(no-misused-promises)", "export const list = (wait: () => Promise<boolean>) => (wait() ? 1 : 2);\n"),
  one(
    "typescript(switch-exhaustiveness-check)",
    'export function f(x: "a" | "b") {\n  switch (x) {\n    case "a":\n      return 1;\n  }\n  return 2;\n}\n',
  ),
  {
    rule: "typescript(consistent-type-imports)",
    files: { "a.ts": "export interface A { a: string }\n", "b.ts": 'import { A } from "./a.ts";\nexport const b: A = { a: "" };\n' },
  },
  one("typescript(no-explicit-any)", "export const x: any = 1;\n"),
  one("typescript(no-non-null-assertion)", "export const f = (x: string | null) => x!.length;\n"),
  one("typescript(only-throw-error)", 'export function f() {\n  throw "text";\n}\n'),
  one("typescript(ban-ts-comment)", "// @ts-ignore\nexport const x: string = 1;\n"),
  {
    rule: "import(no-cycle)",
    files: {
      "a.ts": 'import { b } from "./b.ts";\nexport const a = () => b;\n',
      "b.ts": 'import { a } from "./a.ts";\nexport const b = () => a;\n',
    },
  },
  one("import(no-default-export)", "const x = 1;\nexport default x;\n"),
  { rule: "unicorn(filename-case)", files: { "twoWords.ts": "export const x = 1;\n" } },
  one("eslint(eqeqeq)", "export const f = (a: number, b: number) => a == b;\n"),
  one("eslint(no-console)", 'console.log("x");\n'),
  one("node(no-process-env)", "export const x = process.env;\n"),
  one("node(no-process-env)", 'export const x = process["env"]["HOME"];\n'),
  one("eslint(no-restricted-imports)", 'import { env } from "node:process";\nexport const x = env;\n'),
  one("eslint(max-lines)", "void 0;\n".repeat(401)),
  one("eslint(max-lines-per-function)", `export function f() {\n${"  void 0;\n".repeat(60)}}\n`),
  one(
    "house(no-select-star)",
    "declare const sql: (text: TemplateStringsArray) => unknown;\nexport const q = () => sql`select * from site`;\n",
  ),
  ...["`select id from event_2026w48`", '"event_search_default"', "`select inhrelid from pg_inherits`"].map((text) =>
    one("house(no-partition)", `export const text = ${text};\n`),
  ),
  { rule: "house(no-barrel)", files: { "a.ts": "export const a = 1;\n", "b.ts": 'export { a } from "./a.ts";\n' } },
  { rule: "house(no-barrel)", files: { "a.ts": "export const a = 1;\n", "b.ts": 'export * from "./a.ts";\n' } },
  {
    rule: "house(no-late-await)",
    files: {
      "a.test.ts":
        "export async function f(work: () => Promise<number>) {\n  const both = [work(), work()];\n  await work();\n  return await Promise.allSettled(both);\n}\n",
    },
  },
  one(
    "house(no-polled-list)",
    "declare const list: { useInfiniteQuery: (input: object, options: object) => unknown };\nexport const all = () => list.useInfiniteQuery({}, { refetchInterval: 1 });\n",
  ),
];

function one(rule: string, text: string): PlantedFault {
  return { rule, files: { "planted.ts": text } };
}
