/** Lets a program that imports `bursar/…` run on the sources, by the very map under which the package is published. */
import { readFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const root = join(import.meta.dirname, "../..")
const { exports: published } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, string>>
}

/** `./dist/package/core/treasury/treasury.js` is compiled from `core/treasury/treasury.ts`. */
const sourceOf = (target: string) =>
  target.replace(/^\.\/dist\/package\//u, "").replace(/\.js$/u, ".ts")

/** The source that a published path stands for, from the root of the project; an exact path goes first. */
export const sourceAt = (specifier: string): string | undefined => {
  const path = specifier.replace(/^bursar/u, ".")
  const exact = published[path]
  if (exact !== undefined) return sourceOf(exact)
  for (const [pattern, target] of Object.entries(published)) {
    if (!pattern.endsWith("*") || !path.startsWith(pattern.slice(0, -1))) continue
    return sourceOf(target.replace("*", path.slice(pattern.length - 1)))
  }
  return undefined
}

registerHooks({
  resolve: (specifier, context, next) => {
    const source = /^bursar(\/|$)/u.test(specifier) ? sourceAt(specifier) : undefined
    return source === undefined
      ? next(specifier, context)
      : next(pathToFileURL(join(root, source)).href, context)
  }
})
