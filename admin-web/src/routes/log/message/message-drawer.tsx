import { Drawer } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../../paths.ts";
import { changeLogSearch } from "../log-search.ts";
import { MessageDetail } from "./message-detail.tsx";
import { Neighbours } from "./neighbours.tsx";

interface MessageDrawerProps {
  /** Of the message; undefined while none is open. */
  id: string | undefined;
  /** As the list shows them, newest first. The open one may be none of them. */
  rows: readonly { id: string }[];
}

/** One message beside the list. It stands in the address, so that it can be sent to somebody. */
export function MessageDrawer({ id, rows }: MessageDrawerProps) {
  const navigate = useNavigate();
  const open = (next: string | undefined) =>
    void navigate({ to: paths.log, search: changeLogSearch({ open: next }), replace: next !== undefined, resetScroll: false });
  const index = rows.findIndex((row) => row.id === id);
  const newer = rows[index - 1]?.id;
  const older = index === -1 ? undefined : rows[index + 1]?.id;
  return (
    <Drawer.Root opened={id !== undefined} onClose={() => open(undefined)} position="right" size="42rem" lockScroll={false}>
      <Drawer.Overlay backgroundOpacity={0.35} />
      <Drawer.Content>
        <Drawer.Header role="presentation">
          <Drawer.Title component="h2" fw={600}>
            Message
          </Drawer.Title>
          <Neighbours newer={newer} older={older} onOpen={open} />
          <Drawer.CloseButton aria-label="Close the message" ml={0} />
        </Drawer.Header>
        <Drawer.Body>{id !== undefined && <MessageDetail key={id} id={id} />}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
