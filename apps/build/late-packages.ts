/**
 * Packages that are brought in late and are CommonJS inside. Split off by esbuild such a package has nothing but a
 * default, so whatever is taken of it by name would be undefined: each name is given back to it.
 */
import { pathToFileURL } from "node:url"
import type { Plugin } from "esbuild"

const namespace = "late-package"

/** Node tells a CommonJS module by this name among its exports. */
const commonJs = "module.exports"

const isIdentifier = (name: string) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)

/** What Node gives whoever imports the file; undefined where it is no CommonJS. */
const namesOf = async (path: string): Promise<ReadonlyArray<string> | undefined> => {
  const names = Object.keys(await import(pathToFileURL(path).href))
  return names.includes(commonJs) ? names.filter(isIdentifier) : undefined
}

interface Found {
  readonly names: ReadonlyArray<string>
  readonly resolveDir: string
}

/** `isOutside` says which packages are not put into a build: Node itself gives those their names. */
export const latePackages = (isOutside: (name: string) => boolean): Plugin => ({
  name: "late packages",
  setup: ({ onLoad, onResolve, resolve }) => {
    onResolve({ filter: /^[^./]/ }, async ({ kind, path, resolveDir }) => {
      if (kind !== "dynamic-import" || path.startsWith("node:") || isOutside(path)) return undefined
      const found = await resolve(path, { kind: "import-statement", resolveDir })
      if (found.errors.length > 0 || found.external || found.namespace !== "file") return undefined
      const names = await namesOf(found.path)
      if (names === undefined) return undefined
      return { path: found.path, namespace, pluginData: { names, resolveDir } satisfies Found }
    })
    onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => {
      const { names, resolveDir }: Found = pluginData
      return { contents: `export { ${names.join(", ")} } from ${JSON.stringify(path)}`, resolveDir }
    })
  }
})
