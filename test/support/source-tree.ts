/** The project's own sources as text, with what each file imports and exports. Nothing is compiled. */
import { globSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

const root = join(import.meta.dirname, "../..")

export interface Import {
  readonly specifier: string
  /** The file meant, from the root of the project; undefined for a package. */
  readonly file: string | undefined
}

export interface Source {
  /** From the root of the project, with forward slashes. */
  readonly path: string
  readonly text: string
  readonly imports: ReadonlyArray<Import>
  readonly exported: ReadonlyArray<string>
}

const rooms = ["core", "adapters", "apps", "examples", "test", "bench", "docs", ".ci"]

const isInstalled = (name: string) => name === "node_modules"

const below = (folder: string): ReadonlyArray<string> =>
  globSync("**/*", {
    cwd: join(root, folder),
    exclude: (entry) => isInstalled(entry.name),
    withFileTypes: true
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))

const isThere = (folder: string) =>
  statSync(join(root, folder), { throwIfNoEntry: false }) !== undefined

/** Every file of the project that is written by hand or kept in the repository. */
export const files: ReadonlyArray<string> = [
  ...rooms.filter(isThere).flatMap(below),
  ...readdirSync(root).filter(
    (name) => /\.(md|json|ts)$/u.test(name) && name !== "package-lock.json"
  )
].sort()

export const textOf = (path: string): string => readFileSync(join(root, path), "utf8")

const clause = String.raw`\*(?:\s+as\s+\w+)?|\{[^}]*\}|\w+(?:\s*,\s*(?:\{[^}]*\}|\*\s+as\s+\w+))?`
const fromForm = new RegExp(
  String.raw`^(?:import|export)\s+(?:type\s+)?(?:${clause})\s+from\s+"([^"]+)"`,
  "gmu"
)
const bareForm = /^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gmu

const importOf = (path: string, specifier: string): Import => ({
  specifier,
  file: specifier.startsWith(".") ? normalize(join(dirname(path), specifier)) : undefined
})

const importsOf = (path: string, text: string): ReadonlyArray<Import> => [
  ...[...text.matchAll(fromForm)].map(([, specifier = ""]) => importOf(path, specifier)),
  ...[...text.matchAll(bareForm)].map(([, bare, dynamic]) => importOf(path, bare ?? dynamic ?? ""))
]

const exportForm =
  /^export\s+(?:default\s+)?(?:async\s+)?(?:abstract\s+)?(?:const|let|function\*?|class|interface|type|namespace)\s+(\w+)/gmu

const readSource = (path: string): Source => {
  const text = textOf(path)
  return {
    path,
    text,
    imports: importsOf(path, text),
    exported: [...text.matchAll(exportForm)].map(([, name = ""]) => name)
  }
}

export const sources: ReadonlyArray<Source> = files
  .filter((path) => /\.tsx?$/u.test(path))
  .map(readSource)

export const sourcesIn = (room: string): ReadonlyArray<Source> =>
  sources.filter((source) => source.path.startsWith(`${room}/`))

/** Ways round in circles, each as the files on it; imports of types count as well. */
export const cycles = (): ReadonlyArray<string> => {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const done = new Set<string>()
  const found: Array<string> = []
  const walk = (path: string, way: ReadonlyArray<string>): void => {
    const start = way.indexOf(path)
    if (start !== -1) found.push([...way.slice(start), path].join(" → "))
    if (start !== -1 || done.has(path)) return
    for (const { file } of byPath.get(path)?.imports ?? []) {
      if (file !== undefined) walk(file, [...way, path])
    }
    done.add(path)
  }
  for (const { path } of sources) walk(path, [])
  return found
}
