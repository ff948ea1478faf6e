import { Drawer } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../../paths.ts";
import { changeEventsSearch } from "../events-search.ts";
import { EventDetail } from "./event-detail.tsx";

/** One event beside the list. It stands in the address, so that it can be sent to somebody. `id`: undefined while none is open. */
export function EventDrawer({ id }: { id: string | undefined }) {
  const navigate = useNavigate();
  const close = () => void navigate({ to: paths.events, search: changeEventsSearch({ open: null }), resetScroll: false });
  return (
    <Drawer
      opened={id !== undefined}
      onClose={close}
      position="right"
      size="44rem"
      title={<strong>Event</strong>}
      closeButtonProps={{ "aria-label": "Close the event" }}
    >
      {id !== undefined && <EventDetail key={id} id={id} />}
    </Drawer>
  );
}
