/**
 * What browsers load, as this program has it. From sources it is made at once; a build puts the result
 * in the place of this file, so that what was built brings its own assets and looks for none.
 */
import { bundle } from "./bundle.ts"
import type { Built } from "./islands.ts"

export const built = (): Built => bundle()
