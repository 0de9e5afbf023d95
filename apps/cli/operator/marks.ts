/**
 * Taking the rent of old marks back for an operator. The horizon is written down first, in the records and then in the
 * key store, so that no restored records can pay for what they no longer find a mark of.
 */
import { Console, DateTime, Effect, Layer, Option, Schema } from "effect"
import * as KeyStore from "../../../adapters/secrets/mark-horizon.ts"
import * as Lines from "../../../adapters/secrets/timeline.ts"
import * as Reclaim from "../../../core/solana/reclaim.ts"
import { SolanaRelay } from "../../../core/solana/relay.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import * as Timestamp from "../../../core/time/timestamp.ts"
import { requireSending } from "../../../core/timeline/sending.ts"
import { connections } from "../../server/chains.ts"
import { type Configuration, lines } from "../../server/configuration.ts"
import * as Horizon from "../../server/mark-horizon.ts"
import * as Timeline from "../../server/timeline.ts"
import { markRent, solanaRelayer } from "../../server/wiring.ts"
import { misused, refused, unavailable } from "../exit.ts"
import { Shell } from "../shell.ts"
import { inOffice, inOfficeToRead, plainly, settings } from "./office.ts"
import { type Form, tell } from "./show.ts"
import { relays } from "./wiring.ts"

/** Any transaction that could still come into a block is far younger. */
const youngestHours = 24

const unitsPerCoin = 1_000_000_000n

const Report = Schema.Struct({
  chainId: Schema.String,
  reclaimed: Schema.Int,
  units: Schema.String,
  young: Schema.Int,
  unproven: Schema.Int,
  untaken: Schema.Int
})

const timeOf = Effect.fnUntraced(function* (text: string) {
  const at = Schema.decodeUnknownOption(Timestamp.Input)(text)
  if (Option.isNone(at)) {
    return yield* misused("--before must be an ISO 8601 time, such as 2030-01-31T12:00:00Z.")
  }
  const youngest = DateTime.subtract(yield* DateTime.now, { hours: youngestHours })
  if (!DateTime.isGreaterThan(at.value, youngest)) return at.value
  return yield* refused(
    `--before must be at least ${youngestHours} hours ago, at or before ${Timestamp.format(youngest)}: the marks of younger payments still keep them from being made twice.`
  )
})

/** Where the key-encryption key is a setting, so is what stands beside it. */
const keptBeside = Effect.fnUntraced(function* (configuration: Configuration, to: DateTime.Utc) {
  const kept = yield* plainly(KeyStore.read(configuration))
  if (kept !== undefined && !DateTime.isLessThan(kept, to)) return kept
  if (configuration.keyEncryptionKey === undefined) {
    yield* plainly(KeyStore.raise(configuration, to))
    return to
  }
  return yield* refused(
    `Keep the horizon where the key-encryption key is kept: set BURSAR_SOLANA_MARK_HORIZON=${Timestamp.format(to)} for this command and for every process of the service, then run it again. Nothing was taken back.`
  )
})

const timelineOf = (configuration: Configuration) => Timeline.layer(Lines.at(lines(configuration)))

/** Nothing may be signed for a chain that records which were replaced by older ones have not read. */
const requireRead = (configuration: Configuration, chainIds: ReadonlyArray<string>) =>
  inOffice(
    requireSending(chainIds).pipe(
      Effect.provide(timelineOf(configuration)),
      Effect.mapError(({ message }) => refused(message, "Nothing was taken back."))
    )
  )

/** Written into the records first: whoever reads the key store alone would think that they are older. */
const horizonSet = Effect.fnUntraced(function* (
  configuration: Configuration,
  chainIds: ReadonlyArray<string>,
  to: DateTime.Utc
) {
  const kept = yield* plainly(KeyStore.read(configuration))
  if (yield* inOffice(Horizon.isBehind(kept))) {
    return yield* refused(
      "These records are older than marks that were taken back. Run bursar reconcile first."
    )
  }
  yield* requireRead(configuration, chainIds)
  yield* inOffice(Horizon.record(to))
  yield* keptBeside(configuration, to)
})

const sol = (units: bigint): string => {
  const fraction = (units % unitsPerCoin).toString().padStart(9, "0").replace(/0+$/u, "")
  return `${units / unitsPerCoin}${fraction === "" ? "" : `.${fraction}`}`
}

const marks = (count: number) => (count === 1 ? "1 mark" : `${count} marks`)

const endOf = (chainId: string, tally: Reclaim.Tally): ReadonlyArray<string> => {
  const { units, reclaimed, unproven, untaken, young } = tally
  const left = [
    [young, "made after the horizon; left as they are."],
    [
      unproven,
      "whose final block the node does not show; left. Name a node that keeps all history."
    ],
    [untaken, "that no block took back in time. Run it again."]
  ] as const
  return [
    `${chainId}: ${marks(reclaimed)} taken back, ${sol(units)} SOL returned to the relayer.`,
    ...left.flatMap(([count, why]) => (count === 0 ? [] : [`${chainId}: ${marks(count)} ${why}`]))
  ]
}

const reclaimOn = Effect.fnUntraced(function* (
  configuration: Configuration,
  chainId: string,
  horizon: DateTime.Utc
) {
  const { environment } = yield* Shell
  const connected = connections(configuration, environment)
  const signing = markRent(connected).pipe(Layer.provideMerge(timelineOf(configuration)))
  const reclaimer: Reclaim.Reclaimer<Effect.Error<ReturnType<typeof inOffice>>, Shell> = {
    page: (after) =>
      inOffice(
        SubmissionStore.use((store) =>
          store.finalOn(chainId, { before: horizon, after, limit: Reclaim.pageSize })
        )
      ),
    sign: (batches, conditions) =>
      inOffice(
        requireSending([chainId]).pipe(
          Effect.andThen(Reclaim.signAll(batches, conditions)),
          Effect.provide(signing)
        )
      )
  }
  const say = ({ units, reclaimed }: Reclaim.Tally) =>
    Console.error(`${chainId}: ${marks(reclaimed)} taken back so far, ${sol(units)} SOL.`)
  const relayer = yield* inOffice(solanaRelayer)
  return yield* Reclaim.reclaim(chainId, horizon, reclaimer, say).pipe(
    Effect.provide(relays(connected, relayer)),
    Effect.catchTags({
      ReclaimStopped: ({ message }) => Effect.fail(refused(message)),
      ChainUnavailable: ({ detail }) =>
        Effect.fail(
          unavailable(
            `${chainId} does not answer: ${detail}. What was taken back is told above; run it again for the rest.`
          )
        )
    })
  )
})

export const takeBack = Effect.fnUntraced(function* (before: string, form: Form) {
  const { environment } = yield* Shell
  const configuration = yield* settings
  const horizon = yield* timeOf(before)
  const { solana } = connections(configuration, environment)
  if (solana.length === 0) {
    return yield* refused("No Solana chain is connected; name one in BURSAR_CHAINS.")
  }
  const chainIds = solana.map(({ chain }) => chain.id)
  yield* horizonSet(configuration, chainIds, horizon)
  let untaken = 0
  for (const { chain } of solana) {
    const tally = yield* reclaimOn(configuration, chain.id, horizon)
    untaken += tally.untaken
    const report = { ...tally, chainId: chain.id, units: String(tally.units) }
    yield* tell(Schema.encodeSync(Report)(report), endOf(chain.id, tally).join("\n"), form)
  }
  if (untaken > 0) return yield* refused("Not every mark was taken back. Run it again.")
})

const stillBehind =
  "The records are older than marks that were taken back, so they still sign nothing on Solana."

/**
 * Records that are older than marks which were taken back may sign on Solana again once every payment since was looked
 * for, and every node has answered.
 */
export const caughtUp = Effect.fnUntraced(function* (isWhole: boolean) {
  const { environment } = yield* Shell
  const configuration = yield* settings
  const kept = yield* plainly(KeyStore.read(configuration))
  if (kept === undefined || !(yield* inOfficeToRead(Horizon.isBehind(kept)))) return
  if (!isWhole) return yield* refused(stillBehind)
  const connected = connections(configuration, environment)
  // Also where the records know no wallet, and so nothing was asked yet.
  for (const { chain } of connected.solana) {
    const keptSince = yield* DateTime.now
    yield* SolanaRelay.use((relay) => relay.madeBy(chain.id, [], { keptSince })).pipe(
      Effect.provide(relays(connected)),
      Effect.mapError(({ detail }) =>
        refused(`${chain.id} does not answer: ${detail}.`, stillBehind)
      )
    )
  }
  yield* inOffice(Horizon.record(kept))
  yield* Console.error("The records may sign payments on Solana again.")
})
