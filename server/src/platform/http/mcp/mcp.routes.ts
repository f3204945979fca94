/**
 * `/mcp`: the Model Context Protocol (modelcontextprotocol.io) over HTTP, for AI agents. A call of a tool is a request
 * of the API with the token of the agent, so that it has the same rights, limits, errors and audit entries.
 */

import { scopes } from '@reelkeep/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OrganizationId } from '../../../kernel/ids.ts'
import { lazy } from '../../../kernel/lazy.ts'
import { tokenInHeader } from '../access/principal.ts'
import type { Api } from '../route.ts'
import type { CallTool } from './mcp-server.ts'
import { requestOf, resultOf, tools } from './mcp-tools.ts'

export const MCP_PATH = '/mcp'
const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** A call contains the body of an operation as JSON. */
const BODY_BYTES_MAX =
  1024 * 1024 + Math.max(...[...tools.values()].map(({ operation }) => operation.bodyBytesMax ?? 0))

const instructions = `Reelkeep stores videos with chapters, subtitles and folders. Times are in seconds from the start of a video.
To read the next page of a list, pass the \`cursor\` from its \`next\` URL. Other people may change chapters and subtitles at the same time: pass the version that you read as \`if_match\` when you replace them.`

type McpOptions = {
  readonly version: string
  /** The organization that a well-formed token names. */
  readonly organizationInToken: (token: string) => OrganizationId | undefined
}

export function registerMcp(api: Api, { version, organizationInToken }: McpOptions): void {
  const url = `${api.publicUrl}${MCP_PATH}`
  const metadataUrl = `${api.publicUrl}${METADATA_PATH}${MCP_PATH}`
  // Imported on the first request, because loading the library takes a third of a second.
  const handler = lazy(async () => {
    const { openMcpHandler } = await import('./mcp-server.ts')
    return openMcpHandler({ version, instructions, call: toolCaller(api) })
  })

  api.http.route({
    method: ['GET', 'POST', 'DELETE'],
    url: MCP_PATH,
    exposeHeadRoute: false,
    bodyLimit: BODY_BYTES_MAX,
    config: { operation: 'mcp' },
    async onRequest(request, reply) {
      reply.header('WWW-Authenticate', `Bearer resource_metadata="${metadataUrl}"`)
      const organizationId = organizationInToken(tokenInHeader(request.headers.authorization) ?? '')
      // Only tokens: a browser sends the cookie of a session by itself.
      request.headers.authorization ??= ''
      request.params = { organization_id: organizationId }
      request.principal = await api.authenticate(request, reply)
      reply.removeHeader('WWW-Authenticate')
    },
    async onSend(request, reply, payload) {
      await api.limits.end(request, reply)
      return payload
    },
    handler: async (request, reply) => {
      const { fetch } = await handler()
      const response = await fetch(toWebRequest(url, request), {
        parsedBody: request.body,
        authInfo: authInfoOf(request),
      })
      return sendWebResponse(response, reply)
    },
  })

  const metadata = {
    resource: url,
    resource_name: 'Reelkeep',
    resource_documentation: `${api.publicUrl}/docs/guides/ai-agents/`,
    bearer_methods_supported: ['header'],
    scopes_supported: scopes,
  }
  for (const path of [METADATA_PATH, `${METADATA_PATH}${MCP_PATH}`]) api.http.get(path, () => metadata)
}

/** Calls a tool: sends its request to this server. */
function toolCaller(api: Api): CallTool {
  // Requests of the API record changes and refusals. Of agents, what they read is recorded too.
  const audits = new Map(
    [...tools.values()].map((tool) => [tool, api.audit({ ...tool.operation, recordsRead: true })] as const),
  )
  return async (request, tool, given) => {
    const { params, headers: ifMatch, ...call } = requestOf(tool, request.principal.organizationId, given)
    const headers = { ...request.headers, 'user-agent': `MCP ${request.headers['user-agent'] ?? ''}`.trim() }
    const { id, ip, principal } = request
    const response = await api.http.inject({
      ...call,
      remoteAddress: ip,
      headers: {
        ...ifMatch,
        authorization: headers.authorization,
        'user-agent': headers['user-agent'],
        'x-request-id': id,
      },
    })
    const { statusCode, payload: text } = response
    const isRead = tool.operation.method === 'GET' && statusCode < 400
    if (isRead) await audits.get(tool)?.end({ id, ip, principal, params, headers }, { statusCode })
    return resultOf(tool, { statusCode, etag: response.headers['etag']?.toString(), text })
  }
}

/** The library hands this to the server that it creates for each request. */
const authInfoOf = (request: FastifyRequest) => ({
  ...{ token: '', clientId: request.principal.id, scopes: [...request.principal.scopes] },
  extra: { request },
})

function toWebRequest(url: string, { method, headers }: FastifyRequest): Request {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((text): [string, string] => [name, text]),
  )
  return new Request(url, { method, headers: fields })
}

async function sendWebResponse(response: Response, reply: FastifyReply) {
  response.headers.forEach((value, name) => void reply.header(name, value))
  return reply.status(response.status).send(await response.text())
}
