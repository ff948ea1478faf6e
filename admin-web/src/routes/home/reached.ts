import type { NotificationStatus } from "shared/core/message";

export type Counts = Record<NotificationStatus, number>;

/** How far messages came. A status is the last of a message's life: one that was read was delivered and sent too. */
export interface Reached {
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  /** Of all that were sent or failed. */
  deliveryRate: number | null;
  /** Of all that were delivered. */
  readRate: number | null;
  failureRate: number | null;
}

export function reached({ sent, delivered, read, failed }: Counts): Reached {
  const arrived = delivered + read;
  const settled = sent + arrived + failed;
  return {
    sent: sent + arrived,
    delivered: arrived,
    read,
    failed,
    deliveryRate: share(arrived, settled),
    readRate: share(read, arrived),
    failureRate: share(failed, settled),
  };
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
