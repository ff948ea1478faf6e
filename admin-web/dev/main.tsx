import { createTheme, DirectionContext, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { createRootRoute, createRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { direction, language, loadTexts } from "../src/language.ts";
import { queryClient, trpc, trpcClient } from "../src/trpc.ts";
import "@mantine/core/styles.css";
import "@mantine/core/styles/default-css-variables.css";
import "../src/theme.css";

// The page of the shared parts, at /dev/parts of `vite`. It asks no server, and is outside of src, so that no build can hold it.

document.documentElement.lang = language;
document.documentElement.dir = direction;
await loadTexts("shell", "shared");
const { PartsPage, readPartsSearch } = await import("./parts-page.tsx");

const root = createRootRoute();
const parts = createRoute({ getParentRoute: () => root, path: "/dev/parts", validateSearch: readPartsSearch, component: PartsPage });
/** Where the links of the parts lead. */
const elsewhere = createRoute({ getParentRoute: () => root, path: "$", component: Elsewhere });
const router = createRouter({ routeTree: root.addChildren([parts, elsewhere]) });

const theme = createTheme({
  primaryColor: "teal",
  fontFamily: "system-ui, sans-serif",
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: { Menu: { defaultProps: { withInitialFocusPlaceholder: false, withinPortal: false } } },
});

const place = document.getElementById("root");
if (place === null) throw new Error("The page has no element with the id root");
createRoot(place).render(
  <StrictMode>
    <DirectionContext.Provider value={{ dir: direction, toggleDirection: () => undefined, setDirection: () => undefined }}>
      <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
        <trpc.Provider client={trpcClient} queryClient={queryClient}>
          <QueryClientProvider client={queryClient}>
            <RouterProvider router={router as never} />
          </QueryClientProvider>
        </trpc.Provider>
      </MantineProvider>
    </DirectionContext.Provider>
  </StrictMode>,
);

function Elsewhere() {
  return <main>{window.location.pathname + window.location.search}</main>;
}
