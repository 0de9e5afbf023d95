/** Signs a human out: the session ends at once, on every replica. */
import { Effect } from "effect"
import { record } from "../audit/record.ts"
import { Atomically } from "../ports/atomically.ts"
import { actorOf } from "./human.ts"
import type { Session } from "./session.ts"
import { Sessions } from "./session-store.ts"

export const signOut = Effect.fnUntraced(function* ({ accountId, humanId, id }: Session) {
  const ended = Effect.gen(function* () {
    if (!(yield* (yield* Sessions).end(id))) return
    yield* record({
      accountId,
      actor: actorOf(humanId),
      action: "session.ended",
      subjectType: "human",
      subjectId: humanId
    })
  })
  yield* (yield* Atomically).run(ended)
})
