import { createTheme, DirectionContext, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type ComponentProps, useSyncExternalStore, type MouseEvent, type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { direction, language, t } from "./language.ts";
import { router } from "./router.ts";
import { proof, queryClient, trpc, trpcClient } from "./trpc.ts";
import { later } from "./ui/base/later.tsx";
import "@mantine/core/styles.css";
import "@mantine/core/styles/default-css-variables.css";
import "./theme.css";

document.documentElement.lang = language;
document.documentElement.dir = direction;

/** A button that loads keeps the focus, which it would lose if it were disabled; a click does nothing meanwhile. */
const FocusedButton = ({ type = "button", ...props }: ComponentProps<"button"> & { "data-loading"?: boolean }) => (
  <button {...props} type={type} {...(props["data-loading"] && { disabled: false, "aria-disabled": true, onClick: ignore })} />
);
const ignore = (event: MouseEvent) => event.preventDefault();

/** The scroll lock would write a <style> element. A dialog's <header> is not the page's banner. */
const windowProps = { lockScroll: false, attributes: { header: { role: "presentation" } } };
const eye = { "aria-label": t("Show"), tabIndex: 0 };
const theme = createTheme({
  primaryColor: "teal",
  defaultRadius: "md",
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { component: FocusedButton } },
    Anchor: { defaultProps: { underline: "always" } },
    Card: { defaultProps: { withBorder: true } },
    List: { defaultProps: { size: "sm" } },
    Text: { defaultProps: { size: "sm" } },
    // A browser offers what it remembers only where a field says of what.
    TextInput: { defaultProps: { autoComplete: "off" } },
    PasswordInput: { defaultProps: { autoComplete: "off", visibilityToggleButtonProps: eye } },
    Textarea: { defaultProps: { autosize: true } },
    InputWrapper: { defaultProps: { inputWrapperOrder: ["label", "input", "description", "error"] } },
    // A dialog stands above a drawer, whichever was drawn first.
    Modal: { defaultProps: { ...windowProps, zIndex: 201 } },
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
const Providers = ({ children }: { children: ReactNode }) => (
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

const ProofDialog = later(async () => (await import("./ui/person/proof-dialog.tsx")).ProofDialog);

function ProofQuestion() {
  const isWanted = useSyncExternalStore(proof.subscribe, proof.isWanted);
  return isWanted && <ProofDialog />;
}

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no root");

createRoot(root).render(
  <Providers>
    <RouterProvider router={router} />
    <ProofQuestion />
  </Providers>,
);
