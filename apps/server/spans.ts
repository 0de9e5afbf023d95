/** Where spans go: to an OpenTelemetry collector, or nowhere, and then none is made. */
import { Layer } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Spans from "../../core/operation/spans.ts"

/** Sends spans to `<collector>/v1/traces` every five seconds, and once more when the service stops. */
export const spansTo = (collector: string | undefined): Layer.Layer<never> =>
  collector === undefined
    ? Spans.off
    : Layer.merge(
        Spans.on,
        OtlpTracer.layer({
          url: `${collector.replace(/\/$/u, "")}/v1/traces`,
          resource: { serviceName: "bursar" }
        }).pipe(Layer.provide(Layer.merge(OtlpSerialization.layerJson, FetchHttpClient.layer)))
      )
