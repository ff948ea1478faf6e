import { Button, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";

/** Switches between light and dark. Until it is used the scheme is the device's. */
export function ColorSchemeButton() {
  // Otherwise a <style> element would hold the transitions back, which the content security policy refuses.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const next = useComputedColorScheme("light") === "light" ? "dark" : "light";
  return (
    <Button variant="subtle" color="gray" size="compact-sm" c="var(--mantine-color-text)" onClick={() => setColorScheme(next)}>
      {next === "dark" ? "Dark" : "Light"}
    </Button>
  );
}
