import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { baseScriptBudget } from "./build/base-script-budget.ts";

/** Few chunks for the first page, and one for the parts that most pages share: many small chunks weigh more and load later. */
const groups = [
  { name: "base", tags: ["$initial"], priority: 3 },
  { name: "sign-in", test: /pages[\\/]account-links[\\/]sign-in/, priority: 2 },
  { name: "parts", test: /@mantine|@floating-ui|@tabler|src[\\/](?:ui[\\/]|session)/, minShareCount: 3, priority: 1 },
];

export default defineConfig({
  plugins: [react(), baseScriptBudget({ page: "src/pages/account-links/sign-in-page.tsx", kilobytes: 150 })],
  resolve: { conditions: ["source", "module", "browser", "development|production"] },
  build: {
    // `tsc -b` writes to dist/types.
    outDir: "dist/web",
    emptyOutDir: true,
    target: "es2023",
    // The content security policy allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  server: { port: 4003, proxy: { "/trpc": "http://127.0.0.1:4001" } },
});
