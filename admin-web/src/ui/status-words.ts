/** What happened to a message, each in few words. */
export const statusWords = {
  made: "Queued",
  sent: "Taken by the platform",
  delivered: "Delivered to the phone",
  read: "Read",
  failed: "Failed",
} as const;

export const statusColors = { made: "gray", sent: "blue", delivered: "teal", read: "teal", failed: "red" } as const;
