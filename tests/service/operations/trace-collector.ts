/** A test collector for OpenTelemetry traces: OTLP over HTTP, in JSON. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type Value = { readonly stringValue?: string; readonly intValue?: number }
type Attribute = { readonly key: string; readonly value: Value }

type OtlpSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly Attribute[]
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
}

type OtlpMessage = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

export type CollectedSpan = OtlpSpan & {
  readonly service: string
  readonly attributeValues: Readonly<Record<string, string | number | undefined>>
}

export async function openCollector() {
  const messages: string[] = []
  const credentials: (string | undefined)[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/v1/traces') {
        messages.push(body)
        credentials.push(request.headers.authorization)
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** The bodies of the received requests. */
    messages,
    /** The credentials of each received request. */
    credentials,
    spans: () => messages.flatMap((message) => spansIn(JSON.parse(message) as OtlpMessage)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const spansIn = ({ resourceSpans }: OtlpMessage): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name'])
    const spans = scopeSpans.flatMap((scope) => scope.spans)
    return spans.map((span) => ({ ...span, service, attributeValues: valuesOf(span.attributes) }))
  })

const valuesOf = (attributes: readonly Attribute[]): CollectedSpan['attributeValues'] =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))
