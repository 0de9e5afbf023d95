/**
 * The packages as npm packs and installs them, from their tarballs: at the lowest releases of its peers and at the
 * newest, a sandbox with what it asks for, and the receiver's package with nothing beside it.
 */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { complete } from "../apps/build/packages.ts"
import { freePort } from "../apps/sandbox/free-port.ts"
import { compiledInto } from "./support/compiled-package.ts"

const run = promisify(execFile)
const root = join(import.meta.dirname, "..")
const patienceMs = 300_000

let folder: string
const tarballs = { bursar: "", webhooks: "" }
let peers: Readonly<Record<string, string>>

const packed = async (directory: string): Promise<string> => {
  const { stdout } = await run("npm", ["pack", "--json", directory], { cwd: folder })
  return join(folder, JSON.parse(stdout)[0].filename)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bursar-packed-"))
  const [compiled, webhooks] = [join(folder, "package"), join(folder, "webhooks")]
  const node = (...args: ReadonlyArray<string>) => run(process.execPath, args, { cwd: root })
  await compiledInto(compiled)
  await node("apps/build/main.ts", "package", `--into=${join(compiled, "bin")}`)
  complete(compiled, webhooks)
  tarballs.bursar = await packed(compiled)
  tarballs.webhooks = await packed(webhooks)
  const manifest = JSON.parse(
    (await run("tar", ["-xOf", tarballs.bursar, "package/package.json"])).stdout
  )
  const isOptional = (name: string) => manifest.peerDependenciesMeta[name]?.optional === true
  peers = Object.fromEntries(
    Object.entries<string>(manifest.peerDependencies).filter(([name]) => !isOptional(name))
  )
}, patienceMs)

afterAll(() => rm(folder, { recursive: true, force: true }))

/** A project of a stranger's, with these packages from npm or from a file. */
const projectWith = async (name: string, packages: ReadonlyArray<string>): Promise<string> => {
  const project = join(folder, name)
  await mkdir(project)
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...packages], {
    cwd: project
  })
  return project
}

const program = "node_modules/bursar/bin/bursar.js"

/** Starts a service or a sandbox on a new directory, does something once it is ready, and stops it. */
const whileRuns = async (
  project: string,
  command: "serve" | "sandbox",
  act: (said: () => string) => Promise<void> = async () => undefined
) => {
  const port = await freePort()
  const service = spawn(process.execPath, [program, command], {
    cwd: project,
    env: { PATH: process.env.PATH, PORT: `${port}`, BURSAR_DATA_DIR: join(project, "data") },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  for (const output of [service.stdout, service.stderr]) {
    output.on("data", (chunk: Buffer) => {
      said += chunk.toString()
    })
  }
  try {
    while (service.exitCode === null) {
      const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined)
      if (answer?.ok === true && (command === "serve" || said.includes("ready in"))) {
        return await act(() => said)
      }
      // A process tells nobody when it listens; this only paces the asking.
      await new Promise((resume) => setTimeout(resume, 50))
    }
    throw new Error(`The service ended: ${said}`)
  } finally {
    service.kill("SIGTERM")
    if (service.exitCode === null) await once(service, "exit")
  }
}

const entrancesOf = async (project: string, name: string): Promise<ReadonlyArray<string>> => {
  const program = `import { readFileSync } from "node:fs"
const { exports } = JSON.parse(readFileSync("node_modules/${name}/package.json", "utf8"))
const names = Object.keys(exports).filter((key) => !key.endsWith(".json"))
for (const key of names) await import("${name}" + key.slice(1))
console.log(JSON.stringify(names))`
  await writeFile(join(project, "entrances.js"), program)
  return JSON.parse((await run(process.execPath, ["entrances.js"], { cwd: project })).stdout)
}

const ends = [
  ["lowest", (range: string) => range.replace("^", "")],
  ["newest", (range: string) => range]
] as const

describe("the tarball of bursar", () => {
  it.each(ends)(
    "is imported by every entrance and serves, with its peers at their %s releases",
    async (end, chosen) => {
      const named = Object.entries(peers).map(([name, range]) => `${name}@${chosen(range)}`)
      const project = await projectWith(end, [tarballs.bursar, ...named])
      assert.isAbove((await entrancesOf(project, "bursar")).length, 10)
      const { stdout } = await run("npx", ["bursar", "--version"], { cwd: project })
      assert.match(stdout, /^\d+\.\d+\.\d+\n$/u)
      await whileRuns(project, "serve")
    },
    patienceMs
  )

  it(
    "says what a sandbox needs, and with it leads to a paid invoice by the commands that it prints",
    async () => {
      const project = await projectWith("sandbox", [tarballs.bursar])
      const refused = await run(process.execPath, [program, "sandbox"], { cwd: project }).then(
        ({ stdout }) => assert.fail(stdout),
        ({ code, stderr }: { readonly code: number; readonly stderr: string }) => ({ code, stderr })
      )
      assert.strictEqual(refused.code, 1)
      const [, asked = ""] = /npm (install --save-dev .+)\.\n$/u.exec(refused.stderr) ?? []
      assert.include(
        (await run("tar", ["-xOf", tarballs.bursar, "package/README.md"])).stdout,
        `npm ${asked}\nnpx bursar sandbox\n`
      )
      await run("npm", [...asked.split(" "), "--no-audit", "--no-fund", "--prefer-offline"], {
        cwd: project
      })
      await whileRuns(project, "sandbox", async (said) => {
        const bursar = async (...words: ReadonlyArray<string>) => {
          const env = { PATH: process.env.PATH, BURSAR_DATA_DIR: join(project, "data") }
          return JSON.parse(
            (await run(process.execPath, [program, ...words], { cwd: project, env })).stdout
          )
        }
        const [, line = ""] = /bursar (create-payment-request .*)$/mu.exec(said()) ?? []
        const { paymentUrl } = await bursar(...line.split(" "))
        assert.strictEqual((await bursar("pay", paymentUrl)).status, "paid")
      })
    },
    patienceMs
  )
})

describe("the tarball of bursar-webhooks", () => {
  it(
    "brings nothing with it, and verifies in Node and on Web Crypto",
    async () => {
      const project = await projectWith("receiver", [tarballs.webhooks])
      const installed = await readdir(join(project, "node_modules"))
      assert.deepStrictEqual(
        installed.filter((name) => !name.startsWith(".")),
        ["bursar-webhooks"]
      )
      assert.deepStrictEqual(await entrancesOf(project, "bursar-webhooks"), [".", "./web"])
      const program = `import * as Node from "bursar-webhooks"
import * as Web from "bursar-webhooks/web"
const delivery = { body: "{}", headers: {}, secret: "whsec_x" }
for (const { verifyWebhook } of [Node, Web]) {
  await (async () => verifyWebhook(delivery))().catch(({ reason }) => console.log(reason))
}`
      await writeFile(join(project, "program.js"), program)
      const { stdout } = await run(process.execPath, ["program.js"], { cwd: project })
      assert.strictEqual(stdout, "missing_header\nmissing_header\n")
    },
    patienceMs
  )
})
