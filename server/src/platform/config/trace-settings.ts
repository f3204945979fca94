import { z } from 'zod'
import { httpUrl, listed } from './fields.ts'

/** Values as in addresses, and of them what every decoder understands. */
const headerForm = /^[\w-]+=(?:[^\s%]|%[0-7][0-9a-fA-F])+$/

/** Where traces go, if anywhere; by the names that OpenTelemetry has for it. */
export const traceSettings = {
  /** Absent: nothing is traced. `/v1/traces` is appended. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  /** What the collector wants to be sent with them, such as `authorization=Bearer%20…`. */
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .default('')
    .refine(
      (text) => listed(text).every((header) => headerForm.test(header)),
      'must be of the form name=value, with commas between several and values encoded as in addresses',
    )
    .transform((text) => Object.fromEntries(listed(text).map(toHeader))),
  /** How many of the requests are traced: 0.01 is one in a hundred. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
}

function toHeader(text: string): readonly [string, string] {
  const [name = '', ...value] = text.split('=')
  return [name, decodeURIComponent(value.join('='))]
}
