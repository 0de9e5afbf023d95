/** `npm run hooks` puts `check` before every commit of a clone, and nothing does so before it was called. */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, it } from "@effect/vitest"

const root = join(import.meta.dirname, "..")
const clone = mkdtempSync(join(tmpdir(), "bursar-hooks-"))
afterAll(() => rmSync(clone, { recursive: true, force: true }))

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** No setting of whoever runs the tests, and no repository they run in. */
const env = {
  PATH: process.env.PATH,
  HOME: clone,
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com"
}

const commitWhere = (check: string) => {
  writeFileSync(
    join(clone, "package.json"),
    JSON.stringify({ private: true, scripts: { hooks: scripts.hooks, check } })
  )
  const words = ["commit", "--quiet", "--allow-empty", "--message=x"]
  return spawnSync("git", words, { cwd: clone, env, encoding: "utf8" })
}

it("a commit waits for the check once the hooks are on", { timeout: 60_000 }, () => {
  execFileSync("git", ["init", "--quiet"], { cwd: clone, env })
  cpSync(join(root, ".githooks"), join(clone, ".githooks"), { recursive: true })

  assert.strictEqual(commitWhere("exit 1").status, 0, "the hook is on by itself")
  execFileSync("npm", ["run", "hooks"], { cwd: clone, env, stdio: "pipe" })

  const refused = commitWhere("echo it is not tidy && exit 1")
  assert.notStrictEqual(refused.status, 0)
  assert.include(refused.stdout + refused.stderr, "it is not tidy")
  assert.strictEqual(commitWhere("true").status, 0)
})

it("installing turns no hook on", () => {
  const installing = ["preinstall", "install", "postinstall", "prepare"]
  const found = installing.filter((name) => name in scripts)
  assert.deepStrictEqual(found, [])
})
