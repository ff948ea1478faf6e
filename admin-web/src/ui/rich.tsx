import { Children, cloneElement, Fragment, isValidElement, type ReactNode } from "react";

const tag = /<(\d+)>(.*?)<\/\1>|<(\d+)\/>/gu;

/** A text with elements in it: `Read <0>the docs</0>, then <1/>.` shows the first child around its words, and the second in its place. */
export function Rich({ text, children }: { text: string; children: ReactNode }) {
  const parts = Children.toArray(children);
  const shown: ReactNode[] = [];
  let end = 0;
  for (const found of text.matchAll(tag)) {
    const [whole, around, words, alone] = found;
    const part = parts[Number(around ?? alone)];
    shown.push(text.slice(end, found.index), words !== undefined && isValidElement(part) ? cloneElement(part, {}, words) : part);
    end = found.index + whole.length;
  }
  return [...shown, text.slice(end)].map((each, index) => <Fragment key={index}>{each}</Fragment>);
}
