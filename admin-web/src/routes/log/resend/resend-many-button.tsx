import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import type { LogFilters } from "../log-search.ts";
import { resendFilter } from "./resend-filter.ts";
import { NothingToResend, ResendManyForm } from "./resend-many-form.tsx";

/** Sends the failed messages of the filter again, once somebody has seen how many and why they failed. */
export function ResendManyButton({ filters }: { filters: LogFilters }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const filter = resendFilter(filters);
  return (
    <>
      <Button variant="default" onClick={open}>
        Resend failed…
      </Button>
      <Dialog size="lg" title="Send failed messages again" opened={isOpen} onClose={close}>
        {"why" in filter ? (
          <NothingToResend onClose={close}>{filter.why}</NothingToResend>
        ) : (
          <ResendManyForm input={filter.input} onClose={close} />
        )}
      </Dialog>
    </>
  );
}
