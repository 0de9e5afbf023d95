/** The operator's commands that take authority away, held against the command line: whoever adds one says which it is. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Console, Context, Effect, Exit } from "effect"
import type { Command } from "effect/cli"
import { bursar, execute } from "../../../apps/cli/bursar.ts"
import { refused } from "../../../apps/cli/exit.ts"
import { Office, type Records } from "../../../apps/cli/operator/office.ts"
import { Shell } from "../../../apps/cli/shell.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Durability } from "../../../core/ports/durability.ts"
import { takingCommands } from "../../support/taking-commands.ts"

/** These take none away: they give it, read, or are about the installation itself. */
const others = `
accounts open
accounts list
accounts funding-wallet
humans enrol
humans list
humans invite
keys create
keys list
keys rotate-encryption
keys adopt-pepper
keys export-root
keys restore-root
mail list
resume
reconcile
hold-sending
usdc acknowledge
relayers
stuck-trades
unread-chains
reclaim-marks
archive-audit
backup
export
doctor
migrate
serve
`
  .trim()
  .split("\n")

/** The words that lead to each command that does something. */
const leaves = ({ name, subcommands }: Command.Command.Any): ReadonlyArray<string> => {
  const below = subcommands.flatMap(({ commands }) => commands.flatMap(leaves))
  return below.length === 0 ? [name] : below.map((each) => `${name} ${each}`)
}

const asked = new Error("It asks whether a standby has it.")

/** Whether a command asks where its transaction writes, before it does anything else in there. */
const asksFirst = Effect.fnUntraced(function* (words: string) {
  let isAsking = false
  const records = Context.make(Atomically, {
    run: (work) => work,
    afterCommit: (work) => work
  }).pipe(
    Context.add(Durability, { place: Effect.die(asked), isKept: () => Effect.succeed(false) })
  )
  const office: Office = {
    open: Effect.fail(refused("There are no records here.")),
    run: Effect.fnUntraced(function* (work) {
      const exit = yield* Effect.exit(Effect.provide(work, records as Context.Context<Records>))
      isAsking = Exit.isFailure(exit) && Cause.squash(exit.cause) === asked
      return yield* refused("There are no records here.")
    })
  }
  const silent = { ...globalThis.console, log: () => {}, error: () => {} }
  const exitCode = yield* execute(words.split(" ")).pipe(
    Effect.provideService(Office, office),
    Effect.provideService(Console.Console, silent),
    Effect.provideService(Shell, { environment: {}, columns: undefined }),
    Effect.provide(NodeServices.layer)
  )
  assert.strictEqual(exitCode, 1, words)
  return isAsking
})

describe("the operator's commands that take authority away", () => {
  it("are among those there are, and every other was looked at", () => {
    const group = bursar.subcommands.find((each) => each.group === "operator")
    assert.deepStrictEqual(
      [...Object.keys(takingCommands), ...others].toSorted(),
      (group?.commands ?? []).flatMap(leaves).toSorted()
    )
  })

  it.effect("say whether a standby has it", () =>
    Effect.gen(function* () {
      const silent: Array<string> = []
      for (const [command, words] of Object.entries(takingCommands)) {
        if (!(yield* asksFirst(`${command} ${words}`))) silent.push(command)
      }
      assert.deepStrictEqual(silent, [])
      assert.isFalse(yield* asksFirst("resume a"), "what gives it asks nobody")
    })
  )
})
