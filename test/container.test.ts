/**
 * The service as an image and a unit carry it: put together by the same script, run by a user without rights who
 * can write nowhere but to its data, and asked for its health as a container is.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "../apps/sandbox/free-port.ts"
import * as Configuration from "../apps/server/configuration.ts"

const run = promisify(execFile)
const root = join(import.meta.dirname, "..")
const textOf = (file: string) => readFileSync(join(root, "container", file), "utf8")

const folder = mkdtempSync(join(tmpdir(), "bursar-container-"))
const app = join(folder, "app")
const data = join(folder, "data")

/** As in the image, where tests run as root and others may run Node; otherwise whoever runs them, without the right to write. */
const user = 10_001
const mayRunNode = () =>
  spawnSync(process.execPath, ["--version"], { uid: user, gid: user }).status === 0
const isRoot = process.getuid?.() === 0 && mayRunNode()
const asUser = isRoot ? { uid: user, gid: user } : {}

beforeAll(async () => {
  await run("container/assemble", [app], { cwd: root })
  mkdirSync(data, { mode: 0o700 })
  chmodSync(folder, 0o755)
  if (isRoot) chownSync(data, user, user)
  else spawnSync("chmod", ["-R", "a-w", app])
}, 180_000)

afterAll(() => {
  spawnSync("chmod", ["-R", "u+w", app])
  rmSync(folder, { recursive: true, force: true })
})

/** What the image starts, in the folders of this test. */
const [, ...entrypoint] = JSON.parse(/^ENTRYPOINT (.+)$/mu.exec(textOf("Dockerfile"))?.[1] ?? "[]")
const inImage = (place: string) => place.replace(/^\/app/u, app).replace(/^\/data/u, data)

const started = (env: NodeJS.ProcessEnv): ChildProcess =>
  spawn(process.execPath, entrypoint.map(inImage), {
    cwd: app,
    env,
    stdio: ["ignore", "pipe", "inherit"],
    ...asUser
  })

/** What the health check of the image says. */
const health = (env: NodeJS.ProcessEnv): Promise<number> =>
  run(process.execPath, [join(app, "healthy.mjs")], { env }).then(
    () => 0,
    ({ code }: { readonly code: number }) => code
  )

describe("an assembled service", () => {
  it("runs without rights and without writing beside its data, and says when it is ready", async () => {
    const [, cache = ""] = /NODE_COMPILE_CACHE=(\S+)/u.exec(textOf("Dockerfile")) ?? []
    const env = { PORT: `${await freePort()}`, BURSAR_DATA_DIR: data, HOST: "0.0.0.0" }
    assert.strictEqual(await health(env), 1)
    const service = started({ ...env, NODE_COMPILE_CACHE: inImage(cache) })
    let said = ""
    service.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString()
    })
    try {
      while (service.exitCode === null && (await health(env)) !== 0) {
        // A process tells nobody when it listens; this only paces the asking.
        await new Promise((resume) => setTimeout(resume, 50))
      }
      assert.isNull(service.exitCode)
      const listed = await run(
        process.execPath,
        [join(app, "bursar/bursar.js"), "accounts", "list", "--json"],
        { env, ...asUser }
      )
      assert.deepStrictEqual(JSON.parse(listed.stdout).accounts, [])
      // What it says to do next can be done here, where there is no npm.
      assert.include(said, `node ${join(app, "bursar/bursar.js")} accounts open`)
      service.kill("SIGTERM")
      if (service.exitCode === null) await once(service, "exit")
      // As a program that was interrupted ends; the unit takes it for a success.
      assert.strictEqual(Number(service.exitCode), 130)
      assert.include(textOf("bursar.service"), "SuccessExitStatus=130\n")
      // Its next start finds what this one compiled.
      assert.isAbove(readdirSync(inImage(cache), { recursive: true }).length, 10)
    } finally {
      service.kill("SIGKILL")
    }
  }, 120_000)

  it("brings a list of the packages in it", () => {
    const { bomFormat, components } = JSON.parse(readFileSync(join(app, "sbom.json"), "utf8"))
    assert.strictEqual(bomFormat, "CycloneDX")
    const names = new Set(components.map(({ name }: { readonly name: string }) => name))
    for (const name of ["effect", "viem", "redis", "preact"]) assert.isTrue(names.has(name), name)
    assert.isFalse(names.has("vitest"))
  })
})

describe("what carries it", () => {
  it("names files that are there", () => {
    const dockerfile = textOf("Dockerfile")
    assert.include(dockerfile, "RUN container/assemble /app\n")
    const named = [...dockerfile.matchAll(/\/app\/([\w./-]+\.m?js)/gu)].map(([, file = ""]) => file)
    assert.isAbove(named.length, 2)
    for (const file of named) assert.isTrue(existsSync(join(app, file)), file)
    assert.include(textOf("bursar.service"), "ExecStart=/usr/bin/node /opt/bursar/server.js\n")
  })

  it("sets nothing that the service does not read", () => {
    const known = new Set(Object.values(Configuration.settings).map(({ variable }) => variable))
    const isKnown = (name: string) => known.has(name) || /^BURSAR_RPC_[A-Z_]+$/u.test(name)
    const compose = textOf("compose.yaml")
    const block = /environment:\n((?: {4}\w+: .*\n)+)/u.exec(compose)?.[1] ?? ""
    const set = [...block.matchAll(/^ {4}(\w+):/gmu)].map(([, name = ""]) => name)
    assert.isAbove(set.length, 5)
    assert.deepStrictEqual(
      set.filter((name) => !isKnown(name)),
      []
    )
    const unit = [...textOf("bursar.service").matchAll(/^Environment=(\w+)=/gmu)]
    const names = unit.map(([, name = ""]) => name)
    // The one that Node reads itself.
    assert.deepStrictEqual(
      names.filter((name) => !isKnown(name)),
      ["NODE_COMPILE_CACHE"]
    )
  })

  it("fences its replicas by one folder, which its user may write", () => {
    const compose = textOf("compose.yaml")
    const replicas = [...compose.matchAll(/^ {2}(bursar-\d):\n((?: {4}.*\n)+)/gmu)]
    assert.lengthOf(replicas, 3)
    const folder = /BURSAR_TIMELINE_DIR: (\S+)\n/u.exec(compose)?.[1] ?? "none"
    for (const [, name = "", rest = ""] of replicas) {
      assert.include(rest, `"timeline:${folder}"`, name)
      assert.include(compose, `--to=${name}:4000\n`)
    }
    assert.match(textOf("Dockerfile"), new RegExp(`chown 10001:10001 [^\\n]*${folder}\\b`, "u"))
  })

  it("explains each value that has to be filled in", () => {
    const example = textOf("env.example")
    const wanted = [...textOf("compose.yaml").matchAll(/\$\{(\w+)/gu)].map(([, name = ""]) => name)
    for (const name of wanted) assert.match(example, new RegExp(`^${name}=`, "mu"), name)
  })
})
