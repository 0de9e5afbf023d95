/** One life on a treasury and the oracle beside it: what its rows are called, and how calls and answers are put. */
import { Effect } from "effect"
import { Ids } from "../../../../core/ports/ids.ts"
import type { Calls } from "../../../../core/treasury/treasury.ts"
import type { CosignerGroup } from "./cosigner-group.ts"
import type { Oracle } from "./oracle.ts"
import type { Band, Person, VoterName } from "./step.ts"

export interface Issued {
  readonly challengeId: string
  readonly message: string
}

/** What the oracle's rows are called on the treasury. */
export interface Names {
  readonly invites: Array<string>
  readonly sends: Array<string>
  readonly payees: Array<string>
  readonly challenges: Array<Issued>
  readonly memberships: Map<Person, string>
}

export interface Life {
  readonly sign: Sign
  readonly group: CosignerGroup
  readonly oracle: Oracle
  readonly names: Names
}

/** How the owner's funding wallet signs. */
export type Sign = (message: string) => Promise<string>

export const proof = Effect.fnUntraced(function* ({ sign }: Life, challenge: Issued | undefined) {
  const { challengeId, message } = challenge ?? { challengeId: "", message: "" }
  return { challengeId, walletSignature: yield* Effect.promise(() => sign(message)) }
})

export type Answer = Readonly<Record<string, unknown>>

/** The code of a refusal, or what `said` makes of the answer. */
export const outcome = <A extends Answer, E extends { readonly _tag: string }, R>(
  call: Effect.Effect<A, E, R>,
  said: (answer: A) => string = () => "ok"
) => Effect.match(call, { onFailure: ({ _tag }) => _tag as string, onSuccess: said })

export const statusOf = ({ status }: Answer) => String(status)

export const rulesOf = (bands: ReadonlyArray<Band>) =>
  bands.map(({ action, fromMicro, votes }) => {
    const next = bands
      .filter((each) => each.action === action && each.fromMicro > fromMicro)
      .reduce<bigint | null>(
        (least, each) => (least === null || each.fromMicro < least ? each.fromMicro : least),
        null
      )
    return {
      action,
      minAmountMicro: String(fromMicro),
      maxAmountMicro: next === null ? null : String(next),
      requiredApprovals: votes
    }
  })

export const callsOf = ({ group }: Life, who: VoterName) => group.calls.get(who) as Calls
export const idOf = ({ group }: Life, who: VoterName) => group.accountIds.get(who) as string
export const noId = Effect.flatMap(Ids, ({ uuid }) => uuid)

/** The `at`-th of a list from its newest back; `undefined` of an empty one. */
export const pick = <Row>(rows: ReadonlyArray<Row>, at: number): number | undefined =>
  rows.length === 0 ? undefined : rows.length - 1 - (at % rows.length)
