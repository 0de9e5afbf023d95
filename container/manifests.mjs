/**
 * Writes two manifests: of the packages that a bundle leaves outside, for an assembled service (first folder), and
 * of all that is in one, with its lock file, for the list of its packages (second folder).
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** WebAssembly beside its own code, and what is loaded only where it is used. */
const outside = ["@electric-sql/pglite", "redis"]

const [service, list] = process.argv.slice(2)

const read = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), "utf8"))
const write = (folder, name, value) => writeFileSync(join(folder, name), JSON.stringify(value))

const { dependencies, name, overrides, version } = read("package.json")
const { esbuild: _, ...running } = dependencies

write(service, "package.json", {
  name: "bursar-service",
  version,
  private: true,
  type: "module",
  dependencies: Object.fromEntries(outside.map((each) => [each, dependencies[each]]))
})

// npm leaves out of its list what tests need too, so the list is made without them.
const lock = read("package-lock.json")
const packages = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && !dev)
write(list, "package.json", { name, version, dependencies: running, overrides })
write(list, "package-lock.json", {
  ...lock,
  packages: { "": { name, version, dependencies: running }, ...Object.fromEntries(packages) }
})
