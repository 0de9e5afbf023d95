/**
 * Lets Node load the pages from their sources: it strips types by itself but does not know JSX. A page's
 * `.ts` module imports this first and then its `.tsx` by `await import`. What is built needs none of it.
 */
import { readFileSync } from "node:fs"
import { createRequire, registerHooks } from "node:module"
import { fileURLToPath } from "node:url"

type Esbuild = typeof import("esbuild")

/** Here Node loads this file itself: in a bundle or in the package it has another name. */
const isSource = import.meta.url.endsWith("/adapters/pages/tsx.ts")

const compiled = (url: string): string => {
  const { transformSync } = createRequire(import.meta.url)("esbuild") as Esbuild
  const source = readFileSync(fileURLToPath(url), "utf8")
  return transformSync(source, {
    loader: "tsx",
    jsx: "automatic",
    jsxImportSource: "preact",
    sourcemap: "inline",
    sourcefile: fileURLToPath(url)
  }).code
}

if (isSource) {
  registerHooks({
    load: (url, context, next) =>
      url.endsWith(".tsx")
        ? { format: "module", shortCircuit: true, source: compiled(url) }
        : next(url, context)
  })
}
