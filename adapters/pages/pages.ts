/** Every page of the site as routes, with what they load. */
import { Layer } from "effect"
import { payRoutes } from "./checkout/route.ts"
import { assetRoutes } from "./site/assets.ts"

export const pages = Layer.mergeAll(assetRoutes, payRoutes)
