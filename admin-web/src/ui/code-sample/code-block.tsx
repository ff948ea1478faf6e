import { CopyButton } from "../copy-button.tsx";
import type { Language } from "./language.ts";
import { tokensOf } from "./tokens.ts";
import classes from "./code-block.module.css";

interface CodeBlockProps {
  code: string;
  language: Language;
  /** What it is, for screen readers. */
  label: string;
}

/** Code to read and to take along. */
export function CodeBlock({ code, language, label }: CodeBlockProps) {
  return (
    <div className={classes["block"]}>
      <div className={classes["copy"]}>
        <CopyButton text={code} what={label} size="compact-xs" />
      </div>
      {/* What scrolls must be reachable by the keyboard too. */}
      <pre className={classes["code"]} role="group" aria-label={label} tabIndex={0}>
        <code>
          {tokensOf(code, language).map(({ kind, text }, index) => (
            <span key={index} data-kind={kind}>
              {text}
            </span>
          ))}
        </code>
      </pre>
    </div>
  );
}
