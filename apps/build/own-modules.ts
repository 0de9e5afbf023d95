/**
 * Node's own modules in a build. An import reads everything that a module exports, and three exports of `node:http`
 * load a client of HTTP and HTTP/2 that takes 16 MB; here, whatever loads more when it is read is left out.
 */
import type { Plugin } from "esbuild"

/** What no source may import; a build says so. `fips` warns when it is read. */
const leftOut: Readonly<Record<string, ReadonlyArray<string>>> = {
  "node:crypto": ["fips"],
  "node:fs": ["FileReadStream", "FileWriteStream", "ReadStream", "Utf8Stream", "WriteStream"],
  "node:http": ["CloseEvent", "MessageEvent", "WebSocket"]
}

const moduleOf = (name: string): string => {
  const without = new Set(["default", ...(leftOut[name] ?? [])])
  const names = Object.keys(process.getBuiltinModule(name) ?? {}).filter((key) => !without.has(key))
  return [
    `const own = process.getBuiltinModule(${JSON.stringify(name)})`,
    "const $read = (name) => own[name]",
    "export default own",
    // To read a name may load more, so those of which nothing is used are not read.
    ...names.map((each) => `export const ${each} = /* @__PURE__ */ $read("${each}")`)
  ].join("\n")
}

/** What packages `require` stays as it is: nothing is read of it that they do not use. */
export const withOwnModules: Plugin = {
  name: "own-modules",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^node:/ }, ({ kind, path }) =>
      // A module of which nothing is used is not loaded at all.
      kind === "import-statement"
        ? { path, namespace: "own-modules", sideEffects: false }
        : undefined
    )
    onLoad({ filter: /^node:/, namespace: "own-modules" }, ({ path }) => ({
      contents: moduleOf(path),
      loader: "js"
    }))
  }
}
