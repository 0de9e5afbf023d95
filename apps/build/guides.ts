/** The manual's texts as a module: a build puts them inside, so that what was built serves its own manual. */
import { built } from "../../adapters/http/manual/guides/built.ts"

/** The module `adapters/http/manual/guides/built.ts`, its work done. */
export const guidesModule = (): string =>
  `const texts = ${JSON.stringify(built())}\nexport const built = () => texts\n`
