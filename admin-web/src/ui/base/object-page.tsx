import type { ReactNode } from "react";
import { t } from "../../language.ts";
import { breakable } from "./facts.tsx";
import { isMissing, Loaded, type LoadedProps, Page, type PageProps } from "./page.tsx";

interface ObjectPageProps<Data> extends Pick<LoadedProps<Data>, "query" | "what" | "children"> {
  back: NonNullable<PageProps["back"]>;
  /** What it is, such as `Site`: the title until its name is known. */
  kind: string;
  /** The title where there is none of this id, and the line below it: why that may be. */
  missing: string;
  why?: ReactNode;
  head: (data: Data) => Pick<PageProps, "title" | "lead" | "actions">;
}

/** The page of one thing. One that there is not, or no longer, is told by the title and the line of state; the way back stands above them. */
export function ObjectPage<Data>({ kind, missing, why, head, back, ...loaded }: ObjectPageProps<Data>) {
  const { data, error } = loaded.query;
  if (data !== undefined)
    return (
      <Page back={back} {...head(data)} shown={breakable(head(data).title)}>
        <Loaded {...loaded} />
      </Page>
    );
  const isNone = error !== null && isMissing(error);
  const isKnown = isNone && error.data?.gone?.at != null;
  return (
    <Page
      back={back}
      title={isNone ? missing : kind}
      lead={error === null ? "" : isNone && !isKnown && (why ?? t("It may have been deleted, or the address is incomplete."))}
    >
      {(!isNone || isKnown) && <Loaded {...loaded} />}
    </Page>
  );
}
