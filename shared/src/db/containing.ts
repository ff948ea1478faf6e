/** A `like` pattern for texts that contain `text`, in which an underscore is an underscore. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
