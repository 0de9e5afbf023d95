/**
 * The parts of an app's builds. What runs loads some of its parts late, so a build takes away none of its own and none
 * of the one before it.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"

const listName = "parts.json"

const listIn = (directory: string): ReadonlyArray<string> => {
  const path = join(directory, listName)
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : []
}

/** After a build that wrote these files: those of builds before the last one go. */
export const keepLast = (directory: string, written: ReadonlyArray<string>): void => {
  const names = written
    .filter((path) => dirname(resolve(path)) === resolve(directory))
    .map((path) => basename(path))
  const kept = new Set([listName, ...names, ...listIn(directory)])
  for (const name of readdirSync(directory)) {
    if (!kept.has(name)) rmSync(join(directory, name), { recursive: true, force: true })
  }
  writeFileSync(join(directory, listName), JSON.stringify(names.toSorted()))
}
