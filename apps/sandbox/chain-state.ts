/**
 * A local chain between two runs: its whole state, and what belongs to it, in one file, readable by its
 * owner alone. The file is replaced whole, so a crash leaves the one before.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Predicate } from "effect"
import type { Anvil } from "./anvil.ts"
import { ChainNotStarted } from "./chain-not-started.ts"

/** Where a chain of this name is kept. */
export const fileIn = (directory: string, name: string): string => join(directory, `${name}.json`)

const unreadable = (file: string) =>
  new ChainNotStarted({
    reason: "state_unreadable",
    detail: `${file} cannot be read; without it the chain starts anew`
  })

const textOf = (file: string) =>
  Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: (thrown) => thrown
  }).pipe(
    Effect.catch((thrown) =>
      Predicate.hasProperty(thrown, "code") && thrown.code === "ENOENT"
        ? Effect.succeed(undefined)
        : Effect.fail(unreadable(file))
    )
  )

/** Brings the chain to where it was saved; what was kept of it by these names, or undefined when it never was. */
export const restore = Effect.fnUntraced(function* <const Name extends string>(
  anvil: Anvil,
  file: string,
  names: ReadonlyArray<Name>
): Effect.fn.Return<Readonly<Record<Name, string>> | undefined, ChainNotStarted> {
  const text = yield* textOf(file)
  if (text === undefined) return undefined
  const saved = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => unreadable(file)
  })
  const isWhole =
    Predicate.isObject(saved) &&
    ["state", ...names].every((name) => Predicate.isString(Reflect.get(saved, name)))
  if (!isWhole) return yield* unreadable(file)
  // Each is a string, as was just looked at.
  const { state, ...kept } = saved as Record<Name | "state", string>
  yield* Effect.mapError(anvil.rpc([{ method: "anvil_loadState", params: [state] }]), () =>
    unreadable(file)
  )
  return kept as Record<Name, string>
})

export const save = Effect.fnUntraced(function* (
  anvil: Anvil,
  file: string,
  kept: Readonly<Record<string, string>>
) {
  // What anvil dumps: compressed JSON in hex.
  const state = yield* anvil.call("anvil_dumpState")
  const draft = `${file}.new`
  yield* Effect.sync(() => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(draft, JSON.stringify({ ...kept, state }), { mode: 0o600 })
    chmodSync(draft, 0o600)
    renameSync(draft, file)
  })
})
