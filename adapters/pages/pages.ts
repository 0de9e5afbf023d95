/** Every page of the site as routes, with what they load. */
import { Layer } from "effect"
import { payRoutes } from "./checkout/route.ts"
import { consolePages } from "./console/routes.ts"
import { assetRoutes } from "./site/assets.ts"

export interface Options {
  /** How many proxies of ours stand in front and write `X-Forwarded-For`; 0 when clients connect directly. */
  readonly proxies?: number
}

export const pages = ({ proxies = 0 }: Options = {}) =>
  Layer.mergeAll(assetRoutes, payRoutes(proxies), consolePages(proxies))
