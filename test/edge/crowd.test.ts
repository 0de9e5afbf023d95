/** A crowd before all guards, and how long a fresh client waits meanwhile: nothing else may run beside it. */
import { all } from "./parts.ts"
import { tried } from "./tried.ts"

tried(all)
