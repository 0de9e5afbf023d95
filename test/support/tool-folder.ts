/** Folders of clients that the service itself does not need: installed when a test first asks, or not there, aloud. */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const root = join(import.meta.dirname, "../..")

// biome-ignore lint/suspicious/noExplicitAny: packages that the root does not have, so nothing knows their types.
type Module = any

export interface ToolFolder {
  /** Why its packages are not there; undefined when they are. */
  readonly absence: string | undefined
  readonly load: (name: string, entrance?: string) => Promise<Module>
}

/** What a package says is to be imported under a name. */
const entryOf = (directory: string, entrance: string): string => {
  const {
    exports: told,
    main,
    module
  } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"))
  const found = (value: Module): string | undefined =>
    typeof value === "string"
      ? value
      : (value?.import ?? value?.node ?? value?.default) === undefined
        ? undefined
        : found(value.node ?? value.import ?? value.default)
  return join(directory, found(told?.[entrance]) ?? module ?? main)
}

/** `interop/<name>`. */
export const toolFolder = (name: string): ToolFolder => {
  const directory = join(root, "interop", name)
  const packages = join(directory, "node_modules")
  let absence: string | undefined
  if (!existsSync(join(packages, ".package-lock.json"))) {
    const args = ["install", "--prefix", directory, "--no-audit", "--no-fund", "--no-package-lock"]
    const { status, stderr } = spawnSync("npm", args, { encoding: "utf8" })
    if (status !== 0)
      absence = `npm could not install interop/${name}: ${stderr.trim().slice(-300)}`
  }
  return {
    absence,
    load: (packageName, entrance = ".") =>
      import(pathToFileURL(entryOf(join(packages, packageName), entrance)).href)
  }
}
