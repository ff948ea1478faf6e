import { Anchor, Typography } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { Children, type ReactNode, useEffect } from "react";
import Markdown, { type Components, type ExtraProps } from "react-markdown";
import remarkGfm from "remark-gfm";
import { isTopic } from "shared/docs/topics";
import { formatParts } from "../../format.ts";
import { t } from "../../language.ts";
import { pages } from "../../paths.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { CodeBlock, languageOf } from "../../ui/base/code-sample.tsx";
import { slugOf } from "./documentation.ts";
import classes from "./developers.module.css";

/** Markdown without HTML. */
export const Prose = ({ text }: { text: string }) => (
  <Typography className={classes["prose"] ?? ""} dir="ltr" lang="en">
    <Markdown remarkPlugins={[remarkGfm]} rehypePlugins={[anchorCodes]} components={components} skipHtml>
      {text}
    </Markdown>
  </Typography>
);

/** Scrolls to the heading or code of the hash, which the browser reads before the text is rendered. */
export function useScrollToHeading(isRendered = true): void {
  const hash = useLocation({ select: (location) => location.hash });
  useEffect(() => {
    if (hash !== "" && isRendered) document.getElementById(hash)?.scrollIntoView();
  }, [hash, isRendered]);
}

/** The page title is the topic's own heading, so the others are level 2. */
const components: Components = {
  h2: ({ children }) => <ProseHeading>{children}</ProseHeading>,
  h3: ({ children }) => <ProseHeading>{children}</ProseHeading>,
  a: ({ href, children }) => <ProseLink href={href}>{children}</ProseLink>,
  code: ({ id, children }) => (id === undefined ? <code>{children}</code> : <AnchoredCode id={id}>{children}</AnchoredCode>),
  pre: ({ node }) => <ProseCode node={node} />,
  table: ({ children }) => (
    // A scrolling element must be reachable by keyboard.
    <div style={{ overflowX: "auto" }} role="group" aria-label={t("Table")} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};

type Element = NonNullable<ExtraProps["node"]>;
type Nodes = Element["children"];

const elements = (nodes: Nodes): Element[] => nodes.filter((node) => node.type === "element");
const textIn = (nodes: Nodes): string =>
  nodes.map((node) => (node.type === "text" ? node.value : node.type === "element" ? textIn(node.children) : "")).join("");

/** Gives the codes that a row of a table is about an anchor, such as `errors#in-doubt`: those of its first cell that has any. Blocks of code are named by their place and the heading above. */
function anchorCodes() {
  return ({ children }: { children: Nodes }): void => {
    const taken = new Set(
      elements(children)
        .filter(({ tagName }) => /^h\d$/u.test(tagName))
        .map((heading) => slugOf(textIn(heading.children))),
    );
    let [heading, number] = ["", 0];
    const visit = (nodes: Nodes): void => {
      for (const { tagName, properties, children: inner } of elements(nodes)) {
        if (/^h\d$/u.test(tagName)) heading = textIn(inner);
        if (tagName === "pre") properties["title"] = formatParts([t("Example {number}", { number: ++number }), heading]);
        const codes = tagName === "tr" ? elements(inner).map((cell) => codesIn(cell)) : [];
        for (const code of codes.find(({ length }) => length > 0) ?? []) {
          const slug = slugOf(textIn(code.children));
          if (slug !== "" && !taken.has(slug)) code.properties["id"] = slug;
          taken.add(slug);
        }
        visit(inner);
      }
    };
    visit(children);
  };
}

const codesIn = (cell: Element) => (cell.tagName === "td" ? elements(cell.children).filter(({ tagName }) => tagName === "code") : []);

/** A code that leads to itself. */
const AnchoredCode = ({ id, children }: { id: string; children: ReactNode }) => (
  <a id={id} href={`#${id}`} className={classes["code-link"]}>
    <code>{children}</code>
  </a>
);

function ProseCode({ node }: ExtraProps) {
  const code = node?.children.find((child) => child.type === "element");
  const text = code?.children.find((child) => child.type === "text")?.value ?? "";
  const word = /language-(\S+)/u.exec(String(code?.properties["className"] ?? ""))?.[1];
  return <CodeBlock code={text} language={languageOf(word)} label={formatParts([String(node?.properties["title"]), word])} />;
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
      <a href={`#${slug}`} className={classes["anchor"]} aria-label={t("Link to {title}", { title })}>
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
      <TextLink {...pages.topic(topic)} hash={slug}>
        {children}
      </TextLink>
    );
  return (
    <Anchor href={href} inherit target="_blank" rel="noreferrer">
      {children}
    </Anchor>
  );
}
