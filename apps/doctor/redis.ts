/** The Redis in which replicas share their rate limits, if one is set. */
import { Effect } from "effect"
import * as Client from "../../adapters/redis/client.ts"
import { type Finding, ok, warning } from "./finding.ts"

export const examine = (url: string | undefined): Effect.Effect<ReadonlyArray<Finding>> =>
  url === undefined
    ? Effect.succeed([])
    : Effect.scoped(
        Effect.gen(function* () {
          const { spent } = yield* Client.counters(url)
          return yield* Effect.tryPromise(() => spent("doctor"))
        })
      ).pipe(
        Effect.timeout("5 seconds"),
        Effect.match({
          onFailure: () => [
            warning(
              "redis",
              "Redis does not answer, so each process counts rate limits by itself. Check REDIS_URL."
            )
          ],
          onSuccess: () => [ok("redis", "Redis answers.")]
        })
      )
