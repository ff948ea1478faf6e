/** The open chat. `to`: E.164. */
export interface PhoneSearch {
  to?: string | undefined;
}

export const readPhoneSearch = ({ to }: Record<string, unknown>): PhoneSearch => ({
  to: typeof to === "string" && to !== "" ? to : undefined,
});
