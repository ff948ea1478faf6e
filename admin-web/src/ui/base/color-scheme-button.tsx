import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { t } from "../../language.ts";
import { QuietButton } from "./buttons.tsx";

/** The other scheme, light or dark, and how to switch to it; the default is the device's. */
export function useOtherScheme() {
  // Without `keepTransitions` Mantine writes a <style> element, which the content security policy refuses.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const other = useComputedColorScheme("light") === "light" ? ("dark" as const) : ("light" as const);
  return { other, choose: () => setColorScheme(other) };
}

export function ColorSchemeButton() {
  const { other, choose } = useOtherScheme();
  return (
    <QuietButton aria-label={other === "dark" ? t("Switch to dark mode") : t("Switch to light mode")} onClick={choose}>
      <svg viewBox="0 0 20 20" width="18" aria-hidden>
        <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" strokeWidth="2" />
        <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" />
      </svg>
    </QuietButton>
  );
}
