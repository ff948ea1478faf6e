/** Whether the server has no such thing. An address that was cut off names no id at all. */
export const isMissing = ({ data }: { data?: { code: string } | null | undefined }): boolean =>
  data?.code === "NOT_FOUND" || data?.code === "BAD_REQUEST";
