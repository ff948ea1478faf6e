/** A header's file. */
export interface MediaBytes {
  name: string;
  /** One of the types that the header's format takes. */
  type: string;
  bytes: Uint8Array;
}
