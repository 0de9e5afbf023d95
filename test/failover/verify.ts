/**
 * `npm run verify:failover`: what must hold when a standby that lacks the newest commits is promoted, on real
 * processes, PostgreSQL and a chain. Parts may be named, and done less often: `verify.ts --share=0.1 sends`.
 */
import { program } from "../money/part.ts"
import { verify } from "../support/verification.ts"
import { parts } from "./parts.ts"

await verify(parts, program)
