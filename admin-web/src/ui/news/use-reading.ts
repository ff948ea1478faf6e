import { type PointerEvent, type RefObject, useState } from "react";
import { useScrolledPast } from "./use-scrolled-past.ts";

/** Whether somebody reads a list, whose rows must not move then: it is scrolled past `top`, or the pointer or the focus is in what has the `handlers`. */
export function useReading(top: RefObject<HTMLElement | null>) {
  const [isFocused, setFocused] = useState(false);
  const [isPointed, setPointed] = useState(false);
  const isScrolled = useScrolledPast(top);
  const handlers = {
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
    // A finger points at nothing between two taps.
    onPointerEnter: ({ pointerType }: PointerEvent) => setPointed(pointerType === "mouse"),
    onPointerLeave: () => setPointed(false),
  };
  return { isReading: isScrolled || isFocused || isPointed, handlers };
}
