/** The completion scripts, run by a real bash: commands, flags and the values of closed sets. */
import { execFile } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fieldsOf, kebab } from "../../../apps/cli/field.ts"
import { operations } from "../../../core/treasury/operations.ts"
import { ran } from "../../support/command-line.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const run = promisify(execFile)

const bash = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"].find(
  existsSync
)

const scriptFor = (shell: string) =>
  Effect.map(ran(["completion", shell]), ({ exitCode, stdout }) => {
    assert.strictEqual(exitCode, 0)
    return stdout
  })

const written = (text: string) =>
  Effect.map(temporaryFolder("bursar-completion-"), (directory) => {
    const file = join(directory, "bursar.bash")
    writeFileSync(file, text)
    return file
  })

/** What bash would offer at the end of a line, asked of the function that \`complete\` registered. */
const offered = (...words: ReadonlyArray<string>) => Effect.scoped(asked(words))

const asked = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  // A file, as the script is longer than a system takes in one word of a command line.
  const script = yield* written(yield* scriptFor("bash"))
  const ask = `
source ${script}
registered=$(complete -p bursar); registered=\${registered#*-F }; registered=\${registered%% *}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=\${#COMP_LINE}
"$registered" bursar "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = yield* Effect.promise(() =>
    run(bash ?? "bash", ["--norc", "-c", ask, "bash", "bursar", ...words])
  )
  return stdout.split("\n").filter((line) => line !== "")
})

describe.runIf(bash !== undefined)("bash completes", () => {
  it.live("every command, and those below one", () =>
    Effect.gen(function* () {
      const all = yield* offered("")
      for (const { name } of operations) assert.include(all, kebab(name))
      assert.deepStrictEqual(yield* offered("keys", ""), [
        "create",
        "list",
        "revoke",
        "rotate-encryption",
        "adopt-pepper",
        "export-root",
        "restore-root"
      ])
      assert.deepStrictEqual(yield* offered("propose-tr"), ["propose-transfer"])
    })
  )

  it.live("the flags of an operation that were not given yet", () =>
    Effect.gen(function* () {
      const flags = yield* offered("propose-transfer", "--memo", "x", "--")
      assert.include(flags, "--amount-usdc")
      assert.notInclude(flags, "--memo")
    })
  )

  it.live("the values of a closed set", () =>
    Effect.gen(function* () {
      const statuses = yield* offered("list-payment-requests", "--status", "pa")
      assert.deepStrictEqual(statuses.toSorted(), ["paid", "partially_paid"])
      assert.deepStrictEqual(yield* offered("get-account", "--as", ""), ["developer", "agent"])
    })
  )
})

describe("a completion script", () => {
  it.live("knows every flag of every operation, for zsh and fish as well", () =>
    Effect.gen(function* () {
      const [zsh, fish] = [yield* scriptFor("zsh"), yield* scriptFor("fish")]
      assert.match(zsh, /^#compdef bursar/u)
      for (const operation of operations) {
        for (const { flag } of fieldsOf(operation)) {
          assert.include(zsh, `--${flag}`)
          assert.include(fish, `-l ${flag}`)
        }
      }
      for (const script of [zsh, fish]) assert.notInclude(script, "--completions")
    })
  )

  it.live("is made for the shells there are", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* ran(["completion", "tcsh"])).exitCode, 2)
    })
  )
})
