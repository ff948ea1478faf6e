import { Alert, Button, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { formatMoment } from "../../format.ts";
import { t } from "../../language.ts";
import { findUnsaved, queryClient } from "../../trpc.ts";

/** What a refused call was about is not as the page shows it: `how` it is now, and who has made it so, as far as the server knows. */
export interface Gone extends Record<"id" | "at" | "by" | "name", string | null> {
  what: string;
  how: string;
}

interface GoneNoticeProps {
  gone: Gone;
  message: string;
  /** Makes it anew with the form's values, where a form can. */
  again?: (() => void) | undefined;
}

/** Says who has deleted what is changed here, or has sent or cancelled it meanwhile, and what to do. Once it is read, the page behind shows what there is now. */
export function GoneNotice({ gone, message, again }: GoneNoticeProps) {
  const { how, id, at } = gone;
  // What nobody has deleted of late may never have been there.
  const isKnown = how !== "deleted" || at !== null;
  useEffect(
    () => () => {
      void queryClient.invalidateQueries();
      const isOfIt = ({ queryKey }: { queryKey: readonly unknown[] }) => id !== null && JSON.stringify(queryKey).includes(id);
      if (how === "deleted" && findUnsaved() === undefined) void queryClient.resetQueries({ predicate: isOfIt });
    },
    [how, id],
  );
  return (
    <Alert ref={focused} tabIndex={-1} color="yellow" title={isKnown ? (titles[how] ?? t("Sent meanwhile")) : message} role="alert">
      <Stack gap="sm" align="flex-start">
        <Text>
          {isKnown && `${message}. `}
          {tellWho(gone)}
          {again === undefined ? t("The list shows what there is now.") : t("What you have entered is kept here until you leave the page.")}
        </Text>
        {again !== undefined && (
          <Button size="xs" onClick={again}>
            {t("Create it again with these values")}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** The foot of a long form is far from it. */
const focused = (notice: HTMLElement | null): void => notice?.focus();

const titles: Partial<Record<string, string>> = { deleted: t("Deleted meanwhile"), cancelled: t("Cancelled meanwhile") };

function tellWho(gone: Gone): string {
  if (gone.at === null || gone.by === null) return "";
  const [name, at] = [gone.name ?? gone.by, formatMoment(gone.at)];
  if (gone.how === "deleted") return t("{name} deleted it: {at}. ", { name, at });
  return gone.how === "cancelled" ? t("{name} cancelled it: {at}. ", { name, at }) : t("{name} sent it: {at}. ", { name, at });
}
