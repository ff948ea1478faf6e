import { createTheme, DirectionContext, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode } from "react";
import { direction, language } from "./language.ts";
import { queryClient, trpc, trpcClient } from "./trpc.ts";

document.documentElement.lang = language;
document.documentElement.dir = direction;

/** The scroll lock would write a <style> element. A dialog's <header> is not the page's banner. */
const windowProps = { lockScroll: false, attributes: { header: { role: "presentation" } } };
const theme = createTheme({
  primaryColor: "teal",
  defaultRadius: "md",
  respectReducedMotion: true,
  components: {
    Anchor: { defaultProps: { underline: "always" } },
    Card: { defaultProps: { withBorder: true } },
    List: { defaultProps: { size: "sm" } },
    Text: { defaultProps: { size: "sm" } },
    InputWrapper: { defaultProps: { inputWrapperOrder: ["label", "input", "description", "error"] } },
    Modal: { defaultProps: windowProps },
    Drawer: { defaultProps: windowProps },
    // A menu must not contain the placeholder, and a portal is outside of all landmarks.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, withinPortal: false } },
  },
});
/** The language's direction, which stays until the page is loaded anew. */
const fixedDirection = { dir: direction, toggleDirection: () => undefined, setDirection: () => undefined };

/**
 * The content security policy allows styles from files only, so the theme's variables are in theme.css and nothing may write a <style> element. Avoid responsive
 * style props, <Grid>, <SimpleGrid>, <AppShell>, and changing the colour scheme without `keepTransitions`.
 */
export const Providers = ({ children }: { children: ReactNode }) => (
  <StrictMode>
    <DirectionContext.Provider value={fixedDirection}>
      <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
        <trpc.Provider client={trpcClient} queryClient={queryClient} abortOnUnmount>
          <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
        </trpc.Provider>
      </MantineProvider>
    </DirectionContext.Provider>
  </StrictMode>
);
