/** What a service reads before it answers: few bytes, each kept once, and no package that only a later act needs. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "esbuild"
import { assert, beforeAll, it, onTestFinished } from "vitest"
import { inParts } from "../../apps/build/bundling.ts"
import { keepLast } from "../../apps/build/parts.ts"
import { sources } from "../support/source-tree.ts"

const root = join(import.meta.dirname, "../..")

/** What the start of the service may come to, in bytes of code. */
const budget = 4_000_000

interface Part {
  readonly text: string
  readonly packages: ReadonlyArray<string>
}

let parts: ReadonlyArray<Part>
let atStart: ReadonlyArray<Part>

const packageOf = (input: string): ReadonlyArray<string> => {
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(input) ?? []
  return name === undefined ? [] : [name]
}

beforeAll(async () => {
  const { metafile, outputFiles } = await build({
    ...inParts,
    absWorkingDir: root,
    entryPoints: { server: "apps/server/main.ts" },
    outdir: "dist",
    write: false,
    metafile: true
  })
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]))
  const partOf = (path: string): Part => ({
    text: texts.get(join(root, path)) ?? "",
    packages: Object.keys(metafile.outputs[path]?.inputs ?? {}).flatMap(packageOf)
  })
  const loaded = new Set(["dist/server.js"])
  // A set that grows is walked to its end.
  for (const path of loaded) {
    for (const { external, kind, path: needed } of metafile.outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && external !== true) loaded.add(needed)
    }
  }
  atStart = [...loaded].map(partOf)
  parts = Object.keys(metafile.outputs)
    .filter((path) => path.endsWith(".js"))
    .map(partOf)
}, 120_000)

it("no part has a character beyond ASCII, for which V8 would keep all of it in twice the memory", () => {
  assert.isAbove(parts.length, 10)
  for (const { text } of parts) assert.match(text, /^\p{ASCII}*$/u)
})

it("its start reads no package that only a later act needs", () => {
  const needed = new Set(atStart.flatMap(({ packages }) => packages))
  assert.isTrue(needed.has("effect"))
  for (const later of ["undici", "nodemailer", "@simplewebauthn/server", "@x402/core", "ws"]) {
    assert.isTrue(
      parts.some(({ packages }) => packages.includes(later)),
      later
    )
    assert.isFalse(needed.has(later), later)
  }
})

/** What whoever imports the packages late gets of each, by name. */
const printing = (packages: Iterable<string>) =>
  `console.log(JSON.stringify({ ${[...packages]
    .map((name) => `${JSON.stringify(name)}: Object.keys(await import(${JSON.stringify(name)}))`)
    .join(", ")} }))`

it("what is brought in late has, in a build, every name that Node gives it", async () => {
  const late = new Set(
    sources
      .filter(({ path }) => /^(core|adapters|apps)\//u.test(path))
      .flatMap(({ text }) => [...text.matchAll(/\bimport\("((?!node:)[@a-z][^"]*)"\)/gu)])
      .map(([, name = ""]) => name)
  )
  for (const known of ["undici", "nodemailer", "redis"]) assert.isTrue(late.has(known), known)
  mkdirSync(join(root, "dist"), { recursive: true })
  const directory = mkdtempSync(join(root, "dist/late-"))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const contents = printing(late)
  const outfile = join(directory, "built.js")
  const stdin = { contents, resolveDir: root, sourcefile: "built.mjs" }
  await build({ ...inParts, stdin, outdir: directory, entryNames: "built" })
  const printed = (...args: ReadonlyArray<string>): Record<string, ReadonlyArray<string>> =>
    JSON.parse(spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" }).stdout)
  const built = printed(outfile)
  const byNode = printed("--input-type=module", "--eval", contents)
  for (const name of late) {
    const names = byNode[name]?.filter((each) => each !== "module.exports") ?? []
    assert.isNotEmpty(names, name)
    assert.includeMembers([...(built[name] ?? [])], [...names], name)
  }
}, 60_000)

/** What a program prints that is built as the apps are. */
const printed = async (source: string) => {
  const folder = mkdtempSync(join(tmpdir(), "bursar-built-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const stdin = { contents: source, resolveDir: root, sourcefile: "program.ts" }
  await build({ ...inParts, stdin, outdir: folder, logLevel: "silent" })
  return execFileSync(process.execPath, [join(folder, "stdin.js")], { encoding: "utf8" })
}

it("Node's own modules load no client of HTTP that nobody asked for", async () => {
  const loaded = await printed(
    'import * as http from "node:http"\nimport { createHash } from "node:crypto"\nimport fs from "node:fs"\n' +
      "console.log(typeof http.createServer, typeof http.ServerResponse, createHash.name, typeof fs.rmSync)\n" +
      "console.log(process.moduleLoadList.join())"
  )
  assert.match(loaded, /^function function createHash function\n/u)
  assert.match(loaded, /\bNativeModule crypto\b/u)
  assert.notMatch(loaded, /undici|http2/u)
})

it("of Node's own modules a name is read only where it is used", async () => {
  const loaded = await printed(
    'import { connect } from "node:net"\nimport * as net from "node:net"\n' +
      "console.log(typeof connect, typeof net.isIP)\nconsole.log(process.moduleLoadList.join())"
  )
  assert.match(loaded, /^function function\n/u)
  assert.match(loaded, /\bNativeModule net\b/u)
  assert.notMatch(loaded, /blocklist|socketaddress/u)
})

it("a build refuses an import of what it left out of them", async () => {
  const refused = await printed(
    'import { WebSocket } from "node:http"\nconsole.log(WebSocket)'
  ).catch(String)
  assert.match(refused, /No matching export .* for import "WebSocket"/u)
})

it("its start reads no more than it may", () => {
  const bytes = atStart.reduce((sum, { text }) => sum + text.length, 0)
  assert.isBelow(bytes, budget)
})

it("a build keeps the parts of the one before, which may still run, and no older ones", () => {
  const directory = mkdtempSync(join(tmpdir(), "bursar-parts-"))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const built = (...names: ReadonlyArray<string>) => {
    const paths = names.map((name) => join(directory, name))
    for (const path of paths) writeFileSync(path, "")
    keepLast(directory, [join(directory, "../app.js"), ...paths])
    return readdirSync(directory).filter((name) => name.endsWith(".js"))
  }
  assert.deepStrictEqual(built("one.js", "shared.js"), ["one.js", "shared.js"])
  assert.deepStrictEqual(built("shared.js", "two.js"), ["one.js", "shared.js", "two.js"])
  assert.deepStrictEqual(built("shared.js", "two.js"), ["shared.js", "two.js"])
  assert.deepStrictEqual(built("three.js"), ["shared.js", "three.js", "two.js"])
})

it("scripts say which Node.js they need before an older one fails to read them", () => {
  const versions = '{ value: { ...process.versions, node: "20.19.0" } }'
  const older = `data:text/javascript,${encodeURIComponent(`Object.defineProperty(process, "versions", ${versions})`)}`
  const guard = join(root, "apps/build/new-enough.mjs")
  const under = (...flags: ReadonlyArray<string>) =>
    spawnSync(process.execPath, [...flags, guard], { encoding: "utf8" })
  const refused = under(`--import=${older}`)
  assert.strictEqual(refused.status, 1)
  assert.match(refused.stderr, /^Bursar needs Node\.js 24 or newer; this is 20\.19\.0\./u)
  assert.deepInclude(under(), { status: 0, stderr: "" })
  const { engines, scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  assert.strictEqual(engines.node, ">=24")
  for (const script of ["start", "demo", "serve", "bursar"]) {
    assert.match(scripts[script], /^node apps\/build\/new-enough\.mjs && /u, script)
  }
})

it("nothing starts Node with a flag of V8, by which Node would compile its own modules anew", () => {
  const textOf = (name: string) => readFileSync(join(root, name), "utf8")
  for (const name of ["package.json", "container/Dockerfile", "container/bursar.service"]) {
    assert.notMatch(textOf(name), /\bnode"?,? "?-/u, name)
  }
})
