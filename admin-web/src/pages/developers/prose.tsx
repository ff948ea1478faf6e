import { Anchor } from "@mantine/core";
import { Children, type ReactNode } from "react";
import Markdown, { type Components, type ExtraProps } from "react-markdown";
import remarkGfm from "remark-gfm";
import { paths } from "../../paths.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { CodeBlock, languageOf } from "../../ui/code-sample.tsx";
import { slugOf, isTopic } from "./documentation.ts";
import classes from "./developers.module.css";

/** The page title is the topic's own heading, so the others are level 2. */
const components: Components = {
  h2: ({ children }) => <ProseHeading>{children}</ProseHeading>,
  h3: ({ children }) => <ProseHeading>{children}</ProseHeading>,
  a: ({ href, children }) => <ProseLink href={href}>{children}</ProseLink>,
  pre: ({ node }) => <ProseCode node={node} />,
  table: ({ children }) => (
    // A scrolling element must be reachable by keyboard.
    <div className={classes["wide"]} role="group" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};

/** Markdown without HTML. */
export function Prose({ text }: { text: string }) {
  return (
    <div className={classes["prose"]}>
      <Markdown remarkPlugins={[remarkGfm]} components={components} skipHtml>
        {text}
      </Markdown>
    </div>
  );
}

function ProseCode({ node }: ExtraProps) {
  const code = node?.children.find((child) => child.type === "element");
  const text = code?.children.find((child) => child.type === "text")?.value ?? "";
  const word = /language-(\S+)/u.exec(String(code?.properties["className"] ?? ""))?.[1];
  return <CodeBlock code={text} language={languageOf(word)} label={word === undefined ? "Example" : `Example in ${word}`} />;
}

/** A heading with a link to itself. */
function ProseHeading({ children }: { children: ReactNode }) {
  const title = Children.toArray(children)
    .filter((child) => typeof child === "string")
    .join("");
  const slug = slugOf(title);
  return (
    <h2 id={slug} className={classes["heading"]}>
      {children}{" "}
      <a href={`#${slug}`} className={classes["anchor"]} aria-label={`Link to ${title}`}>
        #
      </a>
    </h2>
  );
}

/** A link to a topic, such as `templates#media-headers`, or to another site. */
function ProseLink({ href = "", children }: { href: string | undefined; children: ReactNode }) {
  const [topic = "", slug = ""] = href.split("#");
  if (isTopic(topic))
    return (
      <TextLink to={paths.topic} params={{ topic }} hash={slug}>
        {children}
      </TextLink>
    );
  return (
    <Anchor href={href} underline="always" inherit target="_blank" rel="noreferrer">
      {children}
    </Anchor>
  );
}
