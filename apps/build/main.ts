/**
 * Bundles the apps to `dist/`, because a bundle starts in a third of the time: each in parts, so that it loads
 * only what its start or its command needs. Packages that load files lying next to their own code are left
 * outside: in a bundle they would not find them. The compiled package is given what its pages load.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"
import { builtModule, inParts } from "./bundling.ts"
import { guidesModule } from "./guides.ts"
import { complete } from "./packages.ts"
import { keepLast } from "./parts.ts"

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

for (const name of chosen) {
  const entry = entries[name]
  const outdir = (name === "package" ? into : undefined) ?? places[name] ?? "dist"
  const parts = entry === undefined ? outdir : join(outdir, name)
  // Nothing runs from a package that is being made, and it is to have nothing of an earlier build.
  if (name === "package") rmSync(parts, { recursive: true, force: true })
  const { metafile } = await build({
    ...inParts,
    metafile: true,
    ...(entry === undefined
      ? { entryPoints: commandLine, outdir }
      : { entryPoints: { [name]: entry }, outdir, chunkNames: `${name}/[name]-[hash]` })
  })
  if (name !== "package") keepLast(parts, Object.keys(metafile.outputs))
}

/** What the compiler made of the module whose work a build does. */
const unbuilt = "dist/package/adapters/pages/site/built.js"
if (chosen.includes("package") && existsSync(unbuilt)) {
  writeFileSync(unbuilt, builtModule())
  writeFileSync("dist/package/adapters/http/manual/guides/built.js", guidesModule())
  complete("dist/package", "dist/webhooks")
}
