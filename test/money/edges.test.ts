/** Amounts, cooldowns and retries at their edges. */
import * as Amounts from "./amounts.ts"
import * as Cooldown from "./cooldown.ts"
import * as Retries from "./retries.ts"
import { suite } from "./suite.ts"

suite([Amounts.part, Cooldown.part, Retries.part])
