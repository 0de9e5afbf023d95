/** Every write asked for again by other keys of the account, in memory; all reads tell what the records hold. */
import { Effect } from "effect"
import { operations } from "../../core/treasury/operations.ts"
import * as Asking from "../support/asking.ts"
import type { Owner } from "../support/one-of-everything.ts"
import { suite } from "../support/replaying.ts"
import * as SmallTreasury from "../support/small-treasury.ts"
import { inputs } from "../support/valid-inputs.ts"

const reads = operations.filter(({ nature }) => nature === "read").map(({ name }) => name)

const everything = (own: Owner) =>
  Effect.forEach(reads, (name) =>
    Asking.asFunction(name, name.startsWith("list_") ? {} : inputs[name](own), own.caller)
  )

suite("memory", SmallTreasury.layer(), everything)
