import { useLocation } from "@tanstack/react-router";

/** The token of a link that an owner handed on: it stands after the #, so that no server logs it. Empty when it was cut off. */
export const useLinkToken = (): string => useLocation({ select: ({ hash }) => hash }).trim();
