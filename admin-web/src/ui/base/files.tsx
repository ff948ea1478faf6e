import { type ButtonProps, Menu } from "@mantine/core";
import { type MouseEvent, useContext } from "react";
import { t } from "../../language.ts";
import { proof } from "../../trpc.ts";
import { SecondaryButton } from "./buttons.tsx";
import { InMenu } from "./dialogs.tsx";

interface DownloadButtonProps extends ButtonProps {
  fileName: string;
  /** The file's content; nothing is fetched. */
  text: string;
}

export function DownloadButton({ fileName, text, ...props }: DownloadButtonProps) {
  return <SecondaryButton {...props} onClick={() => save(fileName, text)} />;
}

/** Saves a file that the page has made. */
export function save(fileName: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  Object.assign(document.createElement("a"), { href, download: fileName }).click();
  URL.revokeObjectURL(href);
}

/** Downloads a CSV file of the server. A file without a filter takes a proof of the person, so the server is asked before. */
export function CsvButton({ href }: { href: string }) {
  const open = async (event: MouseEvent) => {
    if (href.includes("?")) return;
    event.preventDefault();
    const { status } = await fetch(href, { method: "HEAD" });
    if (status === 403) proof.ask((isProven) => isProven && location.assign(href));
    else location.assign(href);
  };
  const link = {
    component: "a",
    href,
    download: true,
    onClick: (event: MouseEvent) => void open(event),
    children: t("Download CSV"),
  } as const;
  return useContext(InMenu) === null ? <SecondaryButton {...link} /> : <Menu.Item {...link} />;
}
