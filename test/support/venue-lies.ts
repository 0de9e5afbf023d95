/** Lies of an aggregator about the route of a swap on Solana, each told to the service in the place of an honest answer. */
import { AccountRole } from "@solana/kit"
import { Effect, Logger, References } from "effect"
import { formOf } from "../../adapters/solana/route-data.ts"
import type { Build } from "../../apps/sandbox/solana/aggregator.ts"
import { LocalSolana } from "../../apps/sandbox/solana/local-solana.ts"
import { apart, stranger } from "./honest-swaps.ts"
import { look } from "./send-steps.ts"
import * as Swaps from "./solana-swaps.ts"
import { bytesIn, flipped, placesIn } from "./swap-mutants.ts"

type Told = NonNullable<Build["swapInstruction"]>

export interface Lie {
  readonly what: string
  readonly tell: (told: Told) => Told
}

const discriminatorBytes = 8

/** Each program, place and byte of an honest route told otherwise, and accounts that have no business in it. */
export const liesAbout = (
  honest: Told,
  people: { readonly other: string; readonly relayer: string }
): ReadonlyArray<Lie> => {
  const data = Uint8Array.from(Buffer.from(honest.data, "base64"))
  const form = formOf(honest.programId, data)
  if (form === undefined) throw new Error("The honest route has no form.")
  const other = people.other as Told["programId"]
  const more = (pubkey: string, role: AccountRole): Told["accounts"][number] => ({
    pubkey: pubkey as Told["programId"],
    isSigner: role >= AccountRole.READONLY_SIGNER,
    isWritable: (role & AccountRole.WRITABLE) !== 0
  })
  const adding = (what: string, account: Told["accounts"][number]): Lie => ({
    what,
    tell: (told) => ({ ...told, accounts: [...told.accounts, account] })
  })
  const saying = (what: string, bytes: Uint8Array): Lie => ({
    what,
    tell: (told) => ({ ...told, data: Buffer.from(bytes).toString("base64") })
  })
  return [
    { what: "another program", tell: (told) => ({ ...told, programId: other }) },
    { what: "no program", tell: (told) => ({ ...told, programId: "nowhere" as never }) },
    ...placesIn(form).map((place) => ({
      what: `another account at ${place}`,
      tell: (told: Told) => ({
        ...told,
        accounts: told.accounts.map((each, at) =>
          at === place ? { ...each, pubkey: other } : each
        )
      })
    })),
    ...placesIn(form).map((place) => ({
      what: `one who signs at ${place}, or whose coins are taken`,
      tell: (told: Told) => ({
        ...told,
        accounts: told.accounts.map((each, at) =>
          at === place
            ? { ...each, isSigner: true, isWritable: each.isSigner || each.isWritable }
            : each
        )
      })
    })),
    ...bytesIn(form)
      .filter((byte) => byte < discriminatorBytes)
      .map((byte) => saying(`another byte at ${byte}`, flipped(data, byte))),
    saying("no amounts", data.subarray(0, form.amountsAt)),
    saying("nothing", new Uint8Array()),
    adding("the relayer", more(people.relayer, AccountRole.READONLY)),
    adding("the relayer's coins", more(people.relayer, AccountRole.WRITABLE)),
    adding("somebody else who signs", more(other, AccountRole.READONLY_SIGNER)),
    adding(
      "the wallet's coins",
      more(honest.accounts[form.wallet]?.pubkey ?? other, AccountRole.WRITABLE_SIGNER)
    )
  ]
}

export interface Heard {
  readonly what: string
  readonly isSigned: boolean
  readonly isTold: boolean
}

/** One look at a swap while the aggregator lies. */
const heard = Effect.fnUntraced(function* (over: Partial<Swaps.Meant>, lie: Lie) {
  const { market } = yield* LocalSolana
  const begun = yield* Swaps.begun(over)
  yield* market.twist((build) =>
    build.swapInstruction === null
      ? build
      : { ...build, swapInstruction: lie.tell(build.swapInstruction) }
  )
  const lines: Array<string> = []
  const hearing = Logger.make(({ message }) => void lines.push(String(message)))
  yield* look.pipe(
    Effect.provideService(References.MinimumLogLevel, "Error"),
    Effect.provide(Logger.layer([hearing]))
  )
  const { attempts } = yield* Swaps.journalOf(begun)
  const held = yield* Swaps.unitsOf(begun.wallet, begun.swap.sell)
  const result: Heard = {
    what: lie.what,
    isSigned: attempts.length > 0 || held !== 2n * begun.swap.sellAmount,
    isTold: lines.some((line) => line.includes("was not signed"))
  }
  return result
})

/** What an aggregator says when it is honest. */
const honestly = Effect.fnUntraced(function* (over: Partial<Swaps.Meant>) {
  const { market } = yield* LocalSolana
  let said: Told | undefined
  yield* market.twist((build) => {
    said = build.swapInstruction ?? undefined
    return "hang up"
  })
  yield* Swaps.begun(over)
  yield* look
  return said ?? (yield* Effect.die(new Error("Nothing was asked.")))
})

/** Each lie about one sort of sale, or each so many-th. */
export const all = Effect.fnUntraced(function* (
  over: Partial<Swaps.Meant>,
  relayer: string,
  each: number
) {
  const honest = yield* honestly(over).pipe(apart)
  const lies = liesAbout(honest, { other: yield* stranger, relayer })
  return yield* Effect.forEach(
    lies.filter((_, at) => at % each === 0),
    (lie) => heard(over, lie).pipe(apart)
  )
})
