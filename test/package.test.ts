/** The published package as a stranger gets it: compiled, put beside its dependencies, imported and type-checked. */
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Packages from "../apps/build/manifest.ts"
import { packedReadme } from "../apps/build/packages.ts"
import { compiledInto } from "./support/compiled-package.ts"
import { linkDependencies } from "./support/linked-dependencies.ts"

const run = promisify(execFile)

/** What the compiler has to say; nothing when it is content. */
const compile = (...options: ReadonlyArray<string>): Promise<string> =>
  run(tsc, options, { cwd: root }).then(
    ({ stdout }) => stdout,
    (failed: { readonly stdout: string; readonly message: string }) =>
      failed.stdout || failed.message
  )

/** The README's programs, in order. */
const printed = (readme: string) =>
  [...readme.matchAll(/```ts\n(.*?)\n```/gsu)].map(([, program = ""]) => program)
const root = join(import.meta.dirname, "..")
const tsc = join(root, "node_modules/.bin/tsc")

const strict = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: "NodeNext",
    target: "ES2024",
    lib: ["ES2024"],
    types: ["node"],
    skipLibCheck: true
  }
}

let project: string
let manifest: ReturnType<typeof Packages.bursar>

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "bursar-package-"))
  manifest = Packages.bursar(JSON.parse(await readFile(join(root, "package.json"), "utf8")))
  const installed = join(project, "node_modules/bursar")
  await mkdir(installed, { recursive: true })
  await writeFile(join(installed, "package.json"), JSON.stringify(manifest))
  // What only a service needs is left out, as `npm install --omit=optional` does.
  const { dependencies, peerDependencies } = manifest
  const present = [...Object.keys(dependencies), ...Object.keys(peerDependencies), "@types/node"]
  await linkDependencies(project, present)
  await compiledInto(installed)
  await writeFile(join(project, "package.json"), JSON.stringify({ type: "module" }))
}, 300_000)

afterAll(() => rm(project, { recursive: true, force: true }))

/** Every entrance that is not a pattern, as it is imported. */
const entrances = () =>
  Object.keys(manifest.exports)
    .filter((key) => !key.includes("*") && !key.endsWith(".json"))
    .map((key) => `bursar${key.slice(1)}`)

describe("the published package", () => {
  it("is imported by each of its entrances, without what only a service needs", async () => {
    assert.isAbove(entrances().length, 5)
    const program = entrances().map((entrance) => `await import("${entrance}")`)
    await writeFile(join(project, "import.js"), program.join("\n"))
    await run(process.execPath, ["import.js"], { cwd: project })
  })

  it("has no other paths, and says of each export what it is", async () => {
    assert.isFalse(Object.keys(manifest.exports).some((key) => key.includes("*")))
    for (const target of Object.values(manifest.exports).filter((path) => path.endsWith(".js"))) {
      const source = target.slice("./".length).replace(/\.js$/u, ".ts")
      const lines = (await readFile(join(root, source), "utf8")).split("\n")
      const silent = lines.filter(
        (line, at) => line.startsWith("export ") && !lines[at - 1]?.trimEnd().endsWith("*/")
      )
      assert.deepStrictEqual(silent, [], source)
      assert.match(lines.join("\n"), /^ \* @example$/mu, source)
    }
  })

  it("has an example on each entrance, which a strict project compiles and runs", async () => {
    await linkDependencies(project, Object.keys(manifest.optionalDependencies))
    const written = await Promise.all(
      Object.entries(manifest.exports)
        .filter(([, target]) => target.endsWith(".js"))
        .map(async ([key, target]) => {
          const source = target.slice("./".length).replace(/\.js$/u, ".ts")
          const [, lines = ""] =
            /^ \* @example\n((?: \*(?: .*)?\n)+) \*\/$/mu.exec(
              await readFile(join(root, source), "utf8")
            ) ?? []
          const name = `example-${key.replaceAll(/\W/gu, "")}.ts`
          await writeFile(join(project, name), lines.replaceAll(/^ \* ?/gmu, ""))
          assert.include(lines, `from "bursar${key.slice(1)}"`, source)
          return name
        })
    )
    await writeFile(join(project, "tsconfig.json"), JSON.stringify({ ...strict, include: written }))
    assert.strictEqual(await compile("-p", project), "")
    for (const name of written) await run(process.execPath, [name], { cwd: project })
  }, 120_000)

  it("brings types that a strict project accepts", async () => {
    const program = `
import { Effect } from "effect"
import { callsOf, type Needs } from "bursar"
import { verifyWebhook } from "bursar/webhooks"
import * as Memory from "bursar/memory"
${entrances()
  .map(
    (entrance, at) =>
      `import type * as entrance${at} from "${entrance}"\nexport type Entrance${at} = typeof entrance${at}`
  )
  .join("\n")}
export const wallets = callsOf({ accountId: "a", keyId: "k", kind: "developer", scopes: new Set() })
  .list_wallets({ limit: 1 })
  .pipe(Effect.map(({ wallets }) => wallets.map((wallet): string => wallet.address)))
export type Needed = Needs
export const layer = Memory.layer()
export const verify = verifyWebhook
// @ts-expect-error a field the operation does not know
export const wrong = callsOf({ accountId: "a", keyId: "k", kind: "developer", scopes: new Set() }).list_wallets({ limits: 1 })
`
    await writeFile(join(project, "program.ts"), program)
    const programs = printed(await readFile(join(root, "README.md"), "utf8"))
    assert.lengthOf(programs, 3)
    for (const [at, text] of programs.entries()) {
      await writeFile(join(project, `readme-${at}.ts`), text)
    }
    const include = ["program.ts", "readme-*.ts"]
    await writeFile(join(project, "tsconfig.json"), JSON.stringify({ ...strict, include }))
    assert.strictEqual(await compile("-p", project), "")
  })

  it("has a README that begins with what the package itself can do", async () => {
    const readme = packedReadme(await readFile(join(root, "README.md"), "utf8"))
    const serving = readme.indexOf("npm install bursar\nnpx bursar serve")
    assert.isAbove(serving, 0)
    assert.isBelow(serving, readme.indexOf("npm install && npm start"))
    assert.throws(() => packedReadme("# Another page"), "no part Start")
  })

  it("runs the program of the README, and it prints what the README says", async () => {
    const readme = await readFile(join(root, "README.md"), "utf8")
    const shown = printed(readme).find((program) => program.includes("bursar/testing")) ?? ""
    const told = readme.slice(readme.indexOf(shown)).match(/```text\n(.*?)```/su)?.[1]
    await writeFile(join(project, "shown.ts"), shown)
    const { stdout } = await run(process.execPath, ["shown.ts"], { cwd: project })
    assert.strictEqual(stdout, told)
  })
})
