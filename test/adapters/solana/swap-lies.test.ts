/** A venue that lies about its route gets no signature, and the operator hears of each lie. */
import { assert, layer } from "@effect/vitest"
import { Effect, Logger, References } from "effect"
import type { Build } from "../../../apps/sandbox/solana/aggregator.ts"
import { LocalSolana } from "../../../apps/sandbox/solana/local-solana.ts"
import { apart, stranger } from "../../support/honest-swaps.ts"
import { solana } from "../../support/real-send-worlds.ts"
import * as Swaps from "../../support/solana-swaps.ts"

const twisted = (
  build: Build,
  change: (told: NonNullable<Build["swapInstruction"]>) => NonNullable<Build["swapInstruction"]>
): Build => ({
  ...build,
  swapInstruction: build.swapInstruction === null ? null : change(build.swapInstruction)
})

layer(solana)("a venue that lies", (it) => {
  /** Lies of the venue, each about the whole answer, and what the operator hears of it. */
  const lies = {
    "another program": [
      (build: Build) =>
        twisted(build, (told) => ({ ...told, programId: build.inputMint as never })),
      /another program would be called/u
    ],
    "an account of the wallet's coins": [
      (build: Build) =>
        twisted(build, (told) => ({
          ...told,
          accounts: told.accounts.map((each) =>
            each.isSigner ? { ...each, isWritable: true } : each
          )
        })),
      /the wallet's own coins could be taken/u
    ],
    "another destination": [
      (build: Build, other: string) =>
        twisted(build, (told) => ({
          ...told,
          accounts: told.accounts.map((each, at) =>
            at === 2 ? { ...each, pubkey: other as never } : each
          )
        })),
      /given to another account/u
    ],
    "somebody else who signs": [
      (build: Build, other: string) =>
        twisted(build, (told) => ({
          ...told,
          accounts: [
            ...told.accounts,
            { pubkey: other as never, isSigner: true, isWritable: false }
          ]
        })),
      /others than relayer and wallet would sign/u
    ],
    "what is no instruction": [
      (build: Build) => twisted(build, (told) => ({ ...told, programId: "nowhere" as never })),
      /the route is no instruction/u
    ],
    "a form without amounts": [
      (build: Build) => twisted(build, (told) => ({ ...told, data: "AQID" })),
      /no form whose amounts can be read/u
    ]
  } as const

  for (const [what, [lie, heard]] of Object.entries(lies)) {
    it.effect(`a venue that names ${what} gets no signature, and the operator hears of it`, () =>
      Effect.gen(function* () {
        const { market } = yield* LocalSolana
        const lines: Array<string> = []
        const hearing = Logger.make(({ message }) => {
          lines.push(String(message))
        })
        const begun = yield* Swaps.begun()
        const other = yield* stranger
        yield* market.twist((build) => lie(build, other))
        const after = yield* Effect.provide(
          Effect.provideService(Swaps.ended(begun), References.MinimumLogLevel, "Error"),
          Logger.layer([hearing])
        )
        assert.deepInclude(after, { status: "failed", txIds: [] })
        assert.match(after.reason ?? "", /was not signed; the operator is alerted/u)
        assert.lengthOf(lines, 3)
        for (const line of lines) assert.match(line, heard)
        assert.strictEqual(
          yield* Swaps.unitsOf(begun.wallet, begun.swap.sell),
          2n * begun.swap.sellAmount
        )
      }).pipe(apart)
    )
  }
})
