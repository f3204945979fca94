/** The server of the Model Context Protocol: lists the tools and passes their calls on. */
import {
  type CallToolResult,
  createMcpHandler,
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import { type Tool, tools, toolsFor } from './mcp-tools.ts'

/** Calls a tool with the rights of the request. */
export type CallTool = (
  request: FastifyRequest,
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
) => Promise<CallToolResult>

type McpServerOptions = { readonly version: string; readonly instructions: string; readonly call: CallTool }

export const openMcpHandler = ({ version, instructions, call }: McpServerOptions): McpHttpHandler =>
  createMcpHandler(
    ({ authInfo }) => {
      const request = authInfo?.extra?.['request'] as FastifyRequest
      const server = new Server({ name: 'reelkeep', version }, { capabilities: { tools: {} }, instructions })
      server.setRequestHandler('tools/list', () => ({ tools: toolsFor(request.principal) }))
      server.setRequestHandler('tools/call', ({ params }) => {
        const tool = tools.get(params.name)
        if (tool) return call(request, tool, params.arguments ?? {})
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool with the name ${params.name}.`)
      })
      return server
    },
    // There is nothing to subscribe to: the tools do not change while the service runs.
    { maxSubscriptions: 0 },
  )
