/**
 * The manual's texts as a module: a build puts them inside, so that what was built serves its own manual. They are
 * packed, as every start reads them and only who opens the manual wants them.
 */
import { gzipSync } from "node:zlib"
import { built } from "../../adapters/http/manual/guides/built.ts"

/** The module `adapters/http/manual/guides/built.ts`, its work done. */
export const guidesModule = (): string => {
  const packed = gzipSync(JSON.stringify(built()), { level: 9 }).toString("base64")
  return `import { gunzipSync } from "node:zlib"
const packed = ${JSON.stringify(packed)}
export const built = () => JSON.parse(gunzipSync(Buffer.from(packed, "base64")).toString("utf8"))
`
}
