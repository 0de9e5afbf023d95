/**
 * The local chain between two runs: its whole state and the payer's key in one file, readable by its
 * owner alone. The file is replaced whole, so a crash leaves the one before.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Predicate } from "effect"
import type { Anvil } from "./anvil.ts"
import { ChainNotStarted } from "./chain-not-started.ts"

export interface Kept {
  readonly usdc: string
  readonly payerPrivateKey: string
}

interface Saved extends Kept {
  /** What anvil dumped: compressed JSON in hex. */
  readonly state: string
}

const fileIn = (directory: string) => join(directory, "local-chain.json")

const isSaved = (value: unknown): value is Saved =>
  Predicate.isObject(value) &&
  [value.usdc, value.payerPrivateKey, value.state].every(Predicate.isString)

const unreadable = (directory: string) =>
  new ChainNotStarted({
    reason: "state_unreadable",
    detail: `${fileIn(directory)} cannot be read; without it the chain starts anew`
  })

/** Brings the chain to where it was saved; undefined when it never was. */
export const restore = Effect.fnUntraced(function* (
  anvil: Anvil,
  directory: string
): Effect.fn.Return<Kept | undefined, ChainNotStarted> {
  const text = yield* Effect.try({
    try: () => readFileSync(fileIn(directory), "utf8"),
    catch: (thrown) => thrown
  }).pipe(
    Effect.catch((thrown) =>
      Predicate.hasProperty(thrown, "code") && thrown.code === "ENOENT"
        ? Effect.succeed(undefined)
        : Effect.fail(unreadable(directory))
    )
  )
  if (text === undefined) return undefined
  const saved = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => unreadable(directory)
  })
  if (!isSaved(saved)) return yield* unreadable(directory)
  const { state, ...kept } = saved
  yield* Effect.mapError(anvil.rpc([{ method: "anvil_loadState", params: [state] }]), () =>
    unreadable(directory)
  )
  return kept
})

export const save = Effect.fnUntraced(function* (anvil: Anvil, directory: string, kept: Kept) {
  const state = yield* anvil.call("anvil_dumpState")
  const draft = `${fileIn(directory)}.new`
  yield* Effect.sync(() => {
    mkdirSync(directory, { recursive: true })
    writeFileSync(draft, JSON.stringify({ ...kept, state }), { mode: 0o600 })
    chmodSync(draft, 0o600)
    renameSync(draft, fileIn(directory))
  })
})
