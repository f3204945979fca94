import { z } from 'zod'
import { httpUrl, splitList } from './fields.ts'

/** Pattern of a header setting: name and percent-encoded value, ASCII only. */
const headerForm = /^[\w-]+=(?:[^\s%]|%[0-7][0-9a-fA-F])+$/

/** Export of traces, with OpenTelemetry's setting names. */
export const traceSettings = {
  /** Base URL of the collector; `/v1/traces` is appended. If it is not set, nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  /** Headers for the collector, such as `authorization=Bearer%20…`. */
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .default('')
    .refine(
      (text) => splitList(text).every((header) => headerForm.test(header)),
      'must be name=value, separated by commas, with percent-encoded values',
    )
    .transform((text) => Object.fromEntries(splitList(text).map(toHeader))),
  /** Ratio of traced requests: 0.01 is one in a hundred. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
}

function toHeader(text: string): readonly [string, string] {
  const [name = '', ...value] = text.split('=')
  return [name, decodeURIComponent(value.join('='))]
}
