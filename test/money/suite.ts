/** Parts of the verification as tests, each thing once; often, and with the figures, is `npm run verify:money`. */
import { type Part, program } from "./part.ts"
import { tried } from "./tried.ts"

export const suite = (parts: ReadonlyArray<Part>) =>
  tried({ title: "sends on real processes", program, parts, patienceMs: 300_000 })
