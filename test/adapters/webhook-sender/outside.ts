/**
 * A small internet on loopback: 127.0.0.2 stands for a public address with a merchant's server on it, and
 * a canary on 127.0.0.1, at the same port, stands for everything the webhook sender must never reach.
 */
import { Context, Effect, Layer } from "effect"
import * as UndiciCourier from "../../../adapters/webhook-sender/webhook-sender.ts"
import { type Reply, WebhookSender } from "../../../core/ports/webhook-sender.ts"
import { certificateFor } from "./certificate.ts"
import * as Sink from "./sink.ts"

export const merchant = "hooks.merchant-a.com"
export const publicAddress = "127.0.0.2"
export const privateAddress = "127.0.0.1"

const certificate = certificateFor(merchant)

/** The merchant's server over TLS and the canary beside it. */
const pair = Effect.fnUntraced(function* (respond?: Sink.Respond) {
  const sink = yield* Sink.open({
    host: publicAddress,
    certificate,
    ...(respond === undefined ? {} : { respond })
  })
  const canary = yield* Sink.openAt({ host: privateAddress, port: sink.port, certificate })
  return { sink, canary, url: (path: string) => `https://${merchant}:${sink.port}${path}` }
})

/** Another process may have the port on the canary's address; then another one is taken. */
export const open = (respond?: Sink.Respond) => Effect.retry(pair(respond), { times: 20 })

export const resolvesTo =
  (...addresses: ReadonlyArray<string>) =>
  () =>
    Promise.resolve(addresses)

/** What trusts the merchant's certificate and takes 127.0.0.2 for a public address. */
export const trusted = {
  mode: "public",
  alsoPublic: (address: string) => address === publicAddress,
  authority: certificate.cert
} as const

/** A webhook sender that trusts the merchant's certificate and takes 127.0.0.2 for a public address. */
export const courierWith = (options: Partial<UndiciCourier.Options> = {}) =>
  Effect.map(
    Layer.build(
      UndiciCourier.layer({
        ...trusted,
        deadlineMs: 5000,
        lookup: resolvesTo(publicAddress),
        ...options
      })
    ),
    (services) => {
      const { carry } = Context.get(services, WebhookSender)
      return (url: string, body = "{}") => carry({ url, headers: {}, body })
    }
  )

/** The status of an answer, or the reason there was none. */
export const outcome = (reply: Reply): number | string =>
  reply._tag === "answered" ? reply.status : reply.reason
