/** Every write asked for again by other keys of the account, in memory; all reads tell what the records hold. */
import { Effect } from "effect"
import { operations } from "../../core/treasury/operations.ts"
import type { Owner } from "../support/full-account.ts"
import { suite } from "../support/replay-suite.ts"
import * as SmallTreasury from "../support/small-treasury.ts"
import * as SurfaceCalls from "../support/surface-calls.ts"
import { inputs } from "../support/valid-inputs.ts"

const reads = operations.filter(({ sideEffect }) => sideEffect === "read").map(({ name }) => name)

const everything = (own: Owner) =>
  Effect.forEach(reads, (name) =>
    SurfaceCalls.asFunction(name, name.startsWith("list_") ? {} : inputs[name](own), own.caller)
  )

suite("memory", SmallTreasury.layer(), everything)
