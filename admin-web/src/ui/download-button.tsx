import { Button, type ButtonProps } from "@mantine/core";

interface DownloadButtonProps extends ButtonProps {
  fileName: string;
  /** What the file holds. It is made on the page: nothing is fetched. */
  text: string;
}

export function DownloadButton({ fileName, text, ...props }: DownloadButtonProps) {
  return <Button variant="default" {...props} onClick={() => save(fileName, text)} />;
}

function save(fileName: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  Object.assign(document.createElement("a"), { href, download: fileName }).click();
  URL.revokeObjectURL(href);
}
