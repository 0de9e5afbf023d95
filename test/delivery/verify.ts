/**
 * `npm run verify:delivery`: what must hold of webhooks, on real processes and PostgreSQL. Parts may be named,
 * and done less often: `verify.ts --share=0.1 kills schedule`.
 */
import { verify } from "../support/verification.ts"
import { parts, program } from "./parts.ts"

await verify(parts, program)
