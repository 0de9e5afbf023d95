/** What may happen to an account with co-signers, as data: who does what, and how much time passes, drawn near to limits. */
import * as FastCheck from "fast-check"

export const people = ["ada", "ada's twin", "ben", "cleo", "dora", "owner's twin"] as const
export type Person = (typeof people)[number]

/** Whoever tries to vote: the owner too, and somebody who never was invited. */
export const voters = [...people, "owner", "stranger"] as const
export type VoterName = (typeof voters)[number]

/** The band begins at `fromMicro`; it ends where the next of its action begins. */
export interface Band {
  readonly action: "send" | "swap"
  readonly fromMicro: bigint
  readonly votes: number
}

export interface Vote {
  readonly who: VoterName
  readonly at: number
  readonly isApproval: boolean
}

export type Step =
  | { readonly do: "invite" | "accept" | "decline" | "remove"; readonly who: Person }
  | { readonly do: "rule"; readonly bands: ReadonlyArray<Band>; readonly isSigned: boolean }
  /** Brings an earlier challenge for weaker rules back, signed, at most once for good. */
  | { readonly do: "sign"; readonly at: number }
  | { readonly do: "propose"; readonly amountMicro: bigint; readonly payee: number }
  | { readonly do: "confirm" | "cancel"; readonly at: number }
  | ({ readonly do: "vote" } & Vote)
  /** By the approval, or by the name of the recipient. */
  | ({ readonly do: "vote on payee"; readonly isByName: boolean } & Vote)
  | { readonly do: "add payee"; readonly address: number }
  | { readonly do: "approve payee" | "revoke payee"; readonly at: number }
  | { readonly do: "wait"; readonly ms: number }
  /** Until so many milliseconds beside the `at`-th deadline to come. */
  | { readonly do: "wait until"; readonly at: number; readonly besideMs: number }
  | { readonly do: "sweep" }

export const hundred = 100_000_000n

const amount = FastCheck.constantFrom(
  1n,
  hundred - 1n,
  hundred,
  hundred + 1n,
  2n * hundred - 1n,
  2n * hundred
)

const bandsOf = (action: Band["action"]) =>
  FastCheck.uniqueArray(FastCheck.constantFrom(1n, hundred, 2n * hundred), { maxLength: 2 }).chain(
    (starts) =>
      FastCheck.tuple(...starts.map(() => FastCheck.integer({ min: 1, max: 3 }))).map((votes) =>
        starts.map((fromMicro, at): Band => ({ action, fromMicro, votes: votes[at] ?? 1 }))
      )
  )

const bands = FastCheck.oneof(
  { weight: 6, arbitrary: bandsOf("send") },
  {
    weight: 1,
    arbitrary: FastCheck.tuple(bandsOf("send"), bandsOf("swap")).map((both) => both.flat())
  }
)

const who = FastCheck.constantFrom(...people)
const voter = FastCheck.oneof(
  { weight: 12, arbitrary: who },
  { weight: 1, arbitrary: FastCheck.constantFrom(...voters) }
)
/** Counted from the newest back, so that steps meet. */
const at = FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(3))
const is = <const Name extends Step["do"]>(name: Name) => FastCheck.constant(name)
const hourMs = 3_600_000

const weighed: ReadonlyArray<readonly [number, FastCheck.Arbitrary<Step>]> = [
  [3, FastCheck.record({ do: is("invite"), who })],
  [4, FastCheck.record({ do: is("accept"), who })],
  [1, FastCheck.record({ do: is("decline"), who })],
  [2, FastCheck.record({ do: is("remove"), who })],
  [4, FastCheck.record({ do: is("rule"), bands, isSigned: FastCheck.boolean() })],
  [1, FastCheck.record({ do: is("sign"), at })],
  [4, FastCheck.record({ do: is("propose"), amountMicro: amount, payee: at })],
  [7, FastCheck.record({ do: is("confirm"), at })],
  [1, FastCheck.record({ do: is("cancel"), at })],
  [
    24,
    FastCheck.record({
      do: is("vote"),
      who: voter,
      at,
      isApproval: FastCheck.integer({ min: 0, max: 3 }).map((n) => n > 0)
    })
  ],
  [
    3,
    FastCheck.record({
      do: is("vote on payee"),
      who: voter,
      at,
      isApproval: FastCheck.boolean(),
      isByName: FastCheck.boolean()
    })
  ],
  [2, FastCheck.record({ do: is("add payee"), address: FastCheck.nat(2) })],
  [1, FastCheck.record({ do: is("approve payee"), at })],
  // Seldom the one who may be paid from the start, or little is left to be voted on.
  [1, FastCheck.record({ do: is("revoke payee"), at: FastCheck.nat(1) })],
  [
    1,
    FastCheck.record({
      do: is("wait"),
      ms: FastCheck.constantFrom(1, 600_000, 24 * hourMs, 168 * hourMs)
    })
  ],
  [
    3,
    FastCheck.record({
      do: is("wait until"),
      at,
      besideMs: FastCheck.constantFrom(-1, 0, 1)
    })
  ],
  [1, FastCheck.record({ do: is("sweep") })]
]

const anything = FastCheck.oneof(...weighed.map(([weight, arbitrary]) => ({ weight, arbitrary })))

/** Somebody leaves and comes back between two votes of theirs. */
const returning = FastCheck.tuple(who, at).map(
  ([each, nth]): ReadonlyArray<Step> => [
    { do: "vote", who: each, at: nth, isApproval: true },
    { do: "remove", who: each },
    { do: "invite", who: each },
    { do: "accept", who: each },
    { do: "vote", who: each, at: nth, isApproval: true }
  ]
)

/** A payee that was revoked is added anew, and is as new as any. */
const anew = FastCheck.nat(2).map(
  (address): ReadonlyArray<Step> => [
    { do: "add payee", address },
    { do: "revoke payee", at: 0 },
    { do: "add payee", address },
    { do: "propose", amountMicro: 1n, payee: 0 }
  ]
)

const several = FastCheck.oneof(
  { weight: 12, arbitrary: anything.map((step): ReadonlyArray<Step> => [step]) },
  { weight: 1, arbitrary: FastCheck.oneof(returning, anew) }
)

const steps = FastCheck.array(several, { maxLength: 28, size: "max" }).map((all) => all.flat())

/** A group that can decide something stands soon in most lives; what comes after is anything. */
const founding: ReadonlyArray<Step> = [
  ...people.slice(0, 4).flatMap(
    (each): ReadonlyArray<Step> => [
      { do: "invite", who: each },
      { do: "accept", who: each }
    ]
  ),
  { do: "rule", bands: [{ action: "send", fromMicro: hundred, votes: 2 }], isSigned: false },
  { do: "propose", amountMicro: hundred, payee: 0 },
  { do: "confirm", at: 0 }
]

export const life: FastCheck.Arbitrary<ReadonlyArray<Step>> = FastCheck.oneof(
  { weight: 1, arbitrary: steps },
  { weight: 3, arbitrary: steps.map((rest) => [...founding, ...rest]) }
)
