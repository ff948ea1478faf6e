import type { ExtraProps } from "react-markdown";
import { CodeBlock } from "../../../ui/code-sample/code-block.tsx";
import { languageOf } from "../../../ui/code-sample/language.ts";

/** A fenced block. */
export function ProseCode({ node }: ExtraProps) {
  const code = node?.children.find((child) => child.type === "element");
  const text = code?.children.find((child) => child.type === "text")?.value ?? "";
  const word = /language-(\S+)/u.exec(String(code?.properties["className"] ?? ""))?.[1];
  return <CodeBlock code={text} language={languageOf(word)} label={word === undefined ? "Example" : `Example in ${word}`} />;
}
