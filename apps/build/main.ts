/**
 * Bundles the apps to `dist/`, because a bundle starts in a third of the time: one file each, and the
 * command line in parts, so that it loads a database only for a command that needs one. Packages that
 * load files lying next to their own code are left outside: in a bundle they would not find them. The
 * compiled package is given what its pages load.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { build } from "esbuild"
import { builtModule, bundling } from "./bundling.ts"
import { guidesModule } from "./guides.ts"
import { complete } from "./packages.ts"

const entries: Readonly<Record<string, string>> = {
  server: "apps/server/main.ts",
  sandbox: "apps/sandbox/main.ts",
  demo: "apps/sandbox/demo.ts"
}

/** The command line, as scripts here start it and as an installed package does. */
const commandLine = { bursar: "apps/cli/start.ts" }
const places: Readonly<Record<string, string>> = {
  bursar: "dist/bursar",
  package: "dist/package/bin"
}

const common = { ...bundling, sourcemap: true, sourcesContent: false } as const

/** `--into=<directory>` puts the package's command line somewhere else. */
const into = process.argv.find((word) => word.startsWith("--into="))?.slice("--into=".length)
const names = process.argv.slice(2).filter((word) => !word.startsWith("--into="))
const known = [...Object.keys(entries), ...Object.keys(places)]
const unknown = names.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`Unknown app ${unknown.join(", ")}; the apps are ${known.join(", ")}.`)
  process.exit(1)
}

const chosen = names.length > 0 ? names : known.filter((name) => name !== "package")

const whole = chosen.filter((name) => entries[name] !== undefined)
if (whole.length > 0) {
  const entryPoints = Object.fromEntries(whole.map((name) => [name, entries[name] ?? ""]))
  await build({ ...common, entryPoints, outdir: "dist" })
}

for (const name of chosen.filter((each) => places[each] !== undefined)) {
  const outdir = (name === "package" ? into : undefined) ?? places[name] ?? "dist"
  // Its parts are named by what is in them, so those of an earlier build would stay.
  rmSync(outdir, { recursive: true, force: true })
  await build({ ...common, entryPoints: commandLine, outdir, splitting: true })
}

/** What the compiler made of the module whose work a build does. */
const unbuilt = "dist/package/adapters/pages/site/built.js"
if (chosen.includes("package") && existsSync(unbuilt)) {
  writeFileSync(unbuilt, builtModule())
  writeFileSync("dist/package/adapters/http/manual/guides/built.js", guidesModule())
  complete("dist/package", "dist/webhooks")
}
