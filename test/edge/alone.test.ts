/** Each guard alone. No figure of these says how long somebody waited, so other tests may run beside them. */
import { alone } from "./alone.ts"
import { tried } from "./tried.ts"

tried(alone)
