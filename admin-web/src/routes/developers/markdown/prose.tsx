import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { ProseCode } from "./prose-code.tsx";
import { ProseHeading } from "./prose-heading.tsx";
import { ProseLink } from "./prose-link.tsx";
import classes from "./prose.module.css";

/** The page's own heading is the topic's: those in its text begin below it. */
const components: Components = {
  h2: ({ children }) => <ProseHeading>{children}</ProseHeading>,
  h3: ({ children }) => <ProseHeading>{children}</ProseHeading>,
  a: ({ href, children }) => <ProseLink href={href}>{children}</ProseLink>,
  pre: ({ node }) => <ProseCode node={node} />,
  table: ({ children }) => (
    // What scrolls must be reachable by the keyboard too.
    <div className={classes["wide"]} role="group" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};

/** A topic's text. HTML in it is left out, and so is every address that is no link. */
export function Prose({ text }: { text: string }) {
  return (
    <div className={classes["prose"]}>
      <Markdown remarkPlugins={[remarkGfm]} components={components} skipHtml>
        {text}
      </Markdown>
    </div>
  );
}
