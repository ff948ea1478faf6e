import { createRootRoute, createRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { loadTexts } from "../src/language.ts";
import { Providers } from "../src/providers.tsx";
import "@mantine/core/styles.css";
import "@mantine/core/styles/default-css-variables.css";
import "../src/theme.css";

// The page of the shared parts, at /dev/parts of `vite`. It asks no server, and is outside of src, so that no build can hold it.

await loadTexts("shell", "shared");
const { PartsPage, readPartsSearch } = await import("./parts-page.tsx");

const root = createRootRoute();
const parts = createRoute({ getParentRoute: () => root, path: "/dev/parts", validateSearch: readPartsSearch, component: PartsPage });
/** Where the links of the parts lead. */
const elsewhere = createRoute({ getParentRoute: () => root, path: "$", component: Elsewhere });
const router = createRouter({ routeTree: root.addChildren([parts, elsewhere]) });

const place = document.getElementById("root");
if (place === null) throw new Error("The page has no element with the id root");
createRoot(place).render(
  <Providers>
    <RouterProvider router={router as never} />
  </Providers>,
);

function Elsewhere() {
  return <main>{window.location.pathname + window.location.search}</main>;
}
