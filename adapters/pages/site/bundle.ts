/** Makes what browsers load from its sources: one file for each entry, minified, named by what is in it. */
import { createRequire } from "node:module"
import { basename, join } from "node:path"
import { type Asset, type AssetName, type Built, entries } from "./islands.ts"

type Esbuild = typeof import("esbuild")

/** Every browser that knows `light-dark()` and trusted types, or does without the latter. */
const browsers = ["chrome123", "firefox120", "safari17.5"]

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8"
}

const notBuilt =
  "The scripts and styles of the pages are not built. Run `npm run build:package`; a published package contains them."

/** Brought in when it is asked for: whoever runs what was built has no esbuild and needs none. */
const esbuild = (): Esbuild => {
  // Compiled, this file has no sources of styles beside it.
  if (!import.meta.url.endsWith(".ts")) throw new Error(notBuilt)
  return createRequire(import.meta.url)("esbuild") as Esbuild
}

const extensionOf = (name: string) => name.slice(name.lastIndexOf(".") + 1)

/** Builds all entries from the sources beside this file. */
export const bundle = (): Built => {
  const pages = join(import.meta.dirname, "..")
  const { metafile, outputFiles } = esbuild().buildSync({
    absWorkingDir: pages,
    entryPoints: Object.entries(entries).map(([name, source]) => ({
      in: source,
      out: name.slice(0, name.lastIndexOf("."))
    })),
    entryNames: "[name]-[hash]",
    outdir: "assets",
    bundle: true,
    minify: true,
    format: "esm",
    target: browsers,
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    write: false,
    metafile: true,
    logLevel: "silent"
  })
  const files: Record<string, Asset> = {}
  for (const { path, text } of outputFiles) {
    files[basename(path)] = { type: types[extensionOf(path)] ?? "application/octet-stream", text }
  }
  const outputOf = new Map(
    Object.entries(metafile.outputs).map(([path, { entryPoint }]) => [entryPoint, basename(path)])
  )
  const manifest = Object.fromEntries(
    Object.entries(entries).map(([name, source]) => [name, outputOf.get(source) ?? ""])
  )
  // One file for each entry, by the line above.
  return { manifest: manifest as Record<AssetName, string>, files }
}
