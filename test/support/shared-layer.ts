/** Things that are dear to start and safe to share: built once for a test file, closed after its last test. */
import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll } from "vitest"

/** The same layer, started by whoever needs it first and shared by all that need it in this file. */
export const shared = <A, E>(layer: Layer.Layer<A, E>): Layer.Layer<A, E> => {
  const scope = Scope.makeUnsafe()
  const memoMap = Layer.makeMemoMapUnsafe()
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Layer.effectContext(Effect.suspend(() => Layer.buildWithMemoMap(layer, memoMap, scope)))
}
