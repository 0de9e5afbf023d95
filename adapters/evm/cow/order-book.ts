/**
 * One order book's HTTP interface: what is asked, and its refusals told in the words of the port. Its answers
 * are bounded in time and size, and nothing it says goes into what is signed but an amount that is offered.
 */
import { Effect, Option, Schema } from "effect"
import {
  AmountBelowMinimum,
  type QuoteFailure,
  RouteNotAvailable,
  type SignedOrder,
  type SwapRequest,
  VenueUnavailable
} from "../../../core/ports/swap-venue.ts"
import { telling } from "../../../core/ports/telling.ts"
import { namesUser } from "../../fetching/names-user.ts"
import { bodyOf, noAppData } from "./order.ts"

export interface Options {
  /** What stands before `/api/v1`, without a trailing slash. */
  readonly url: string
  readonly timeoutMs?: number
}

const timeoutMs = 10_000
const maxBytes = 256 * 1024

interface Answer {
  readonly status: number
  readonly body: unknown
}

const unavailable = (reason: VenueUnavailable["reason"], detail: string) =>
  new VenueUnavailable({ protocol: "cow", reason, detail })

const malformed = (detail: string) => unavailable("malformed", detail)

const textOf = async (response: Response): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw malformed(`the answer exceeds ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One request; whatever is no answer to it is told as the book being away. */
const ask = (
  { timeoutMs: patienceMs = timeoutMs, url }: Options,
  method: "GET" | "POST",
  path: string,
  body?: object
): Effect.Effect<Answer, VenueUnavailable> =>
  Effect.tryPromise({
    try: async (interrupted) => {
      if (namesUser(url)) throw unavailable("unreachable", "its URL names a user")
      const response = await fetch(`${url}/api/v1/${path}`, {
        method,
        headers: { "content-type": "application/json", accept: "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: "error",
        // The deadline is of the network and passes in real time, whatever clock the treasury keeps.
        signal: AbortSignal.any([interrupted, AbortSignal.timeout(patienceMs)])
      })
      const { status } = response
      if (status === 429) throw unavailable("limited", "it was asked too often")
      if (status >= 500) throw unavailable("unreachable", `HTTP ${status}`)
      return { status, body: parsed(await textOf(response)) }
    },
    catch: (thrown) => thrown
  }).pipe(
    telling((thrown) =>
      thrown instanceof VenueUnavailable
        ? thrown
        : unavailable("unreachable", thrown instanceof Error ? thrown.name : "no answer")
    )
  )

const Refused = Schema.Struct({ errorType: Schema.String })

const refusalIn = ({ body, status }: Answer): string =>
  Option.match(Schema.decodeUnknownOption(Refused)(body), {
    onNone: () => `HTTP ${status}`,
    onSome: ({ errorType }) => errorType
  })

const Units = Schema.String.check(Schema.isPattern(/^(0|[1-9]\d{0,77})$/u))

const Quoted = Schema.Struct({
  quote: Schema.Struct({
    sellToken: Schema.String,
    buyToken: Schema.String,
    receiver: Schema.NullOr(Schema.String),
    sellAmount: Units,
    feeAmount: Units,
    buyAmount: Units,
    kind: Schema.Literal("sell")
  }),
  expiration: Schema.String
})

/** What the book offers for all that is to be sold. */
export interface Offer {
  readonly buyAmount: bigint
  /** In the sold token, and taken from what is sold. */
  readonly fee: bigint
  readonly expiresAt: string
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** Refusals that say that the amount is too small for what settling it costs. */
const tooSmall = ["SellAmountDoesNotCoverFee", "ZeroAmount"]

const quoteFailure = (answer: Answer): QuoteFailure => {
  const refusal = refusalIn(answer)
  return tooSmall.includes(refusal)
    ? new AmountBelowMinimum({ minimum: null })
    : new RouteNotAvailable({ detail: refusal })
}

export const quote = Effect.fnUntraced(function* (
  options: Options,
  request: SwapRequest
): Effect.fn.Return<Offer, QuoteFailure> {
  const answer = yield* ask(options, "POST", "quote", {
    sellToken: request.sell,
    buyToken: request.buy,
    from: request.owner,
    receiver: request.receiver,
    kind: "sell",
    sellAmountBeforeFee: String(request.sellAmount),
    validFor: 1200,
    appData: noAppData,
    priceQuality: "verified",
    signingScheme: "eip712",
    onchainOrder: false,
    partiallyFillable: false,
    sellTokenBalance: "erc20",
    buyTokenBalance: "erc20"
  })
  if (answer.status !== 200) return yield* quoteFailure(answer)
  const read = Schema.decodeUnknownOption(Quoted)(answer.body)
  if (Option.isNone(read)) return yield* malformed("the quote has not its shape")
  const { buyAmount, buyToken, feeAmount, receiver, sellAmount, sellToken } = read.value.quote
  const fee = BigInt(feeAmount)
  // Whoever quotes for others than were asked about is not asked again.
  if (!isSame(sellToken, request.sell) || !isSame(buyToken, request.buy)) {
    return yield* malformed("the quote is of other tokens")
  }
  if (receiver !== null && !isSame(receiver, request.receiver)) {
    return yield* malformed("the quote pays another receiver")
  }
  if (BigInt(sellAmount) + fee !== request.sellAmount) {
    return yield* malformed("the quote sells another amount")
  }
  if (buyAmount === "0") return yield* new AmountBelowMinimum({ minimum: null })
  return { buyAmount: BigInt(buyAmount), fee, expiresAt: read.value.expiration }
})

/** Hands an order over; a book that has it already is content. */
export const post = Effect.fnUntraced(function* (options: Options, order: SignedOrder) {
  const answer = yield* ask(options, "POST", "orders", bodyOf(order))
  if (answer.status === 201) {
    if (typeof answer.body === "string" && isSame(answer.body, order.orderId)) return
    return yield* malformed("the book calls the order by another uid")
  }
  const refusal = refusalIn(answer)
  if (refusal === "DuplicatedOrder") return
  return yield* new RouteNotAvailable({ detail: refusal })
})

/** Whether the book has the order, in whatever state. */
export const has = (options: Options, { orderId }: Pick<SignedOrder, "orderId">) =>
  Effect.flatMap(ask(options, "GET", `orders/${orderId}`), (answer) => {
    if (answer.status === 404) return Effect.succeed(false)
    return answer.status === 200 ? Effect.succeed(true) : Effect.fail(malformed(refusalIn(answer)))
  })
