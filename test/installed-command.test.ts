/** `bursar` as an installed package brings it: the built bundle, run by name, against a service it started itself. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Packages from "../apps/build/manifest.ts"
import { freePort } from "../apps/sandbox/free-port.ts"
import { linkDependencies } from "./support/linked-dependencies.ts"

const run = promisify(execFile)
const root = join(import.meta.dirname, "..")

let project: string
let version: string
let environment: NodeJS.ProcessEnv

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "bursar-command-"))
  const source = JSON.parse(await readFile(join(root, "package.json"), "utf8"))
  const manifest = Packages.bursar(source)
  version = source.version
  const bin = join(project, "node_modules/bursar", manifest.bin.bursar ?? "")
  await run(process.execPath, ["apps/build/main.ts", "package", `--into=${join(bin, "..")}`], {
    cwd: root
  })
  const { dependencies, optionalDependencies, peerDependencies } = manifest
  const present = { ...dependencies, ...optionalDependencies, ...peerDependencies }
  await linkDependencies(project, Object.keys(present))
  // As npm links a package's command.
  await chmod(bin, 0o755)
  await mkdir(join(project, "node_modules/.bin"), { recursive: true })
  await symlink(bin, join(project, "node_modules/.bin/bursar"))
  const path = [join(project, "node_modules/.bin"), join(process.execPath, ".."), process.env.PATH]
  environment = { PATH: path.join(":"), BURSAR_DATA_DIR: join(project, "data") }
}, 120_000)

afterAll(() => rm(project, { recursive: true, force: true }))

const bursar = (words: ReadonlyArray<string>, over: NodeJS.ProcessEnv = {}) =>
  run("bursar", words, { cwd: project, env: { ...environment, ...over } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (failed: { readonly code: number; readonly stdout: string; readonly stderr: string }) => failed
  )

/** Resolves once the service says that it is ready; rejects when it ends before. */
const ready = async (service: ChildProcess, url: string): Promise<void> => {
  while (service.exitCode === null) {
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined)
    if (answer?.ok === true) return
    // A process tells nobody when it listens; this only paces the asking.
    await new Promise((resume) => setTimeout(resume, 50))
  }
  throw new Error(`The service ended with ${service.exitCode}.`)
}

describe("the installed command", () => {
  it("says its version and helps, without a service, a key or a data directory", async () => {
    assert.strictEqual((await bursar(["--version"])).stdout, `${version}\n`)
    const { code, stdout, stderr } = await bursar(["--help"])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(stdout, "propose-transfer")
    assert.strictEqual((await bursar(["propose-transfr"])).code, 2)
  }, 60_000)

  it("opens an account, serves it, and is answered by its own service", async () => {
    const opened = await bursar([
      "accounts",
      "open",
      "--name",
      "Shop",
      "--kind",
      "developer",
      "--json"
    ])
    const { id } = JSON.parse(opened.stdout)
    const made = await bursar(["keys", "create", id, "--scopes", "all"])
    const BURSAR_API_KEY = made.stdout.trim()
    const port = await freePort()
    const BURSAR_URL = `http://127.0.0.1:${port}`
    const service = spawn("bursar", ["serve"], {
      cwd: project,
      env: { ...environment, PORT: String(port) },
      stdio: "ignore"
    })
    try {
      await ready(service, BURSAR_URL)
      const ask = (...words: ReadonlyArray<string>) => bursar(words, { BURSAR_URL, BURSAR_API_KEY })
      assert.strictEqual(JSON.parse((await ask("get-account", "--json")).stdout).id, id)
      assert.strictEqual((await ask("list-wallets", "-o", "wide")).stdout, "No wallets.\n")
      assert.deepStrictEqual(JSON.parse((await ask("list-wallets")).stdout).wallets, [])
      const manual = await fetch(`${BURSAR_URL}/docs/first-payment`)
      assert.deepStrictEqual(
        [manual.status, (await manual.text()).includes("Your first real payment")],
        [200, true]
      )
      const listed = await bursar(["accounts", "list", "--json"])
      assert.strictEqual(JSON.parse(listed.stdout).accounts[0].id, id)
      const held = await bursar(["migrate"])
      assert.strictEqual(held.code, 1)
      assert.include(held.stderr, `in use by process ${service.pid}`)
      const hook = ["create-merchant-webhook", "--url", "http://127.0.0.1:1/x"]
      const refused = await ask(...hook)
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, /WEBHOOK_URL_NOT_ALLOWED: /u)
      await ask("audit", "export", "--out", "log")
      const { verifierKey } = JSON.parse((await ask("get-audit-checkpoint", "--json")).stdout)
      const verified = await bursar(["audit", "verify", "log", "--key", verifierKey])
      assert.deepStrictEqual([verified.code, verified.stderr], [0, ""])
    } finally {
      service.kill("SIGTERM")
      await once(service, "exit")
    }
    const gone = await bursar(["get-account"], { BURSAR_URL, BURSAR_API_KEY })
    assert.strictEqual(gone.code, 3)
  }, 240_000)
})

describe("an older Node.js", () => {
  it("is told in one line which it needs, before anything is loaded that it cannot read", async () => {
    const versions = '{ value: { ...process.versions, node: "20.19.0" } }'
    const older = `Object.defineProperty(process, "versions", ${versions})`
    const old = `data:text/javascript,${encodeURIComponent(older)}`
    const { code, stderr, stdout } = await bursar(["--help"], { NODE_OPTIONS: `--import=${old}` })
    assert.deepStrictEqual([code, stdout], [1, ""])
    assert.strictEqual(stderr, "bursar needs Node.js 24 or newer; this is 20.19.0.\n")
    const { engines } = JSON.parse(await readFile(join(root, "package.json"), "utf8"))
    assert.strictEqual(engines.node, ">=24")
  })
})
