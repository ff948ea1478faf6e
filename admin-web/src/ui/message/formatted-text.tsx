import { Fragment, type ReactNode } from "react";

/** The messenger's own marks: *bold*, _italic_, ~struck~, ```fixed```. A mark stands at a word's edge and encloses no blank at either end. */
const mark =
  /(?<![\p{L}\p{N}])(?:```(?<fixed>[^]+?)```|\*(?<bold>\S(?:[^\n*]*\S)?)\*|_(?<italic>\S(?:[^\n_]*\S)?)_|~(?<struck>\S(?:[^\n~]*\S)?)~)(?![\p{L}\p{N}])/gu;

export function FormattedText({ text }: { text: string }) {
  const pieces: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(mark)) {
    pieces.push(text.slice(end, match.index), marked(match.groups ?? {}));
    end = match.index + match[0].length;
  }
  pieces.push(text.slice(end));
  return pieces.map((piece, index) => <Fragment key={index}>{piece}</Fragment>);
}

function marked({ fixed, bold, italic, struck }: Record<string, string | undefined>): ReactNode {
  if (fixed !== undefined) return <code>{fixed}</code>;
  if (bold !== undefined)
    return (
      <strong>
        <FormattedText text={bold} />
      </strong>
    );
  if (italic !== undefined)
    return (
      <em>
        <FormattedText text={italic} />
      </em>
    );
  return (
    <s>
      <FormattedText text={struck ?? ""} />
    </s>
  );
}
