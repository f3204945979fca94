/** The tools of the MCP server: operations of the contract, with their parameters and the fields of their body. */

import type { CallToolResult, Tool as ToolDefinition } from '@modelcontextprotocol/server'
import {
  type AnyOperation,
  API_PREFIX,
  accessTokens,
  assetLists,
  assets,
  chapters,
  clips,
  downloads,
  folders,
  isRepeatable,
  search,
  subtitles,
  tokens,
  uploadSessions,
} from '@reelkeep/contract'
import type { OrganizationId } from '../../../kernel/ids.ts'
import { hasScope, type Principal } from '../access/principal.ts'

/** Operations for videos and folders. Tools do not manage members, tokens, webhooks or the organization. */
const offered: readonly AnyOperation[] = [
  ...[search.searchMoments, search.searchAsset],
  ...[assetLists.listAssets, assets.readAsset, assets.updateAsset, assets.moveAsset],
  ...[assets.deleteAsset, assets.restoreAsset],
  ...[folders.listFolders, folders.readFolder, folders.createFolder],
  ...[chapters.listChapters, chapters.readFoundChapters, chapters.addChapters, chapters.editChapter],
  ...[chapters.replaceChapters, chapters.deleteChapter],
  ...[subtitles.listSubtitles, subtitles.readSubtitle, subtitles.addSubtitle, subtitles.replaceSubtitle],
  ...[subtitles.deleteSubtitle],
  ...[clips.createClip, clips.setTrim, clips.deleteTrim],
  ...[accessTokens.createAccessToken, accessTokens.listAccessTokens, accessTokens.revokeAccessToken],
  ...[downloads.createDownload],
  ...[uploadSessions.createUploadSession, uploadSessions.readUploadSession],
  ...[uploadSessions.completeUploadSession, uploadSessions.cancelUploadSession],
  tokens.readCurrentToken,
]

type ObjectSchema = { readonly properties?: Record<string, object>; readonly required?: readonly string[] }

export type Tool = { readonly operation: AnyOperation; readonly definition: ToolDefinition }

const toTool = (operation: AnyOperation): Tool => ({
  operation,
  definition: {
    name: operation.id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    title: operation.summary,
    description: operation.description,
    inputSchema: inputSchemaOf(operation),
    annotations: {
      readOnlyHint: operation.method === 'GET',
      destructiveHint: ['PUT', 'PATCH', 'DELETE'].includes(operation.method),
      idempotentHint: isRepeatable({ ...operation, idempotent: false }),
      openWorldHint: false,
    },
  },
})

export const tools: ReadonlyMap<string, Tool> = new Map(offered.map(toTool).map((tool) => [tool.definition.name, tool]))

/** One object with all parameters. A test compares the names, so that none of them is lost. */
function inputSchemaOf(operation: AnyOperation): ToolDefinition['inputSchema'] {
  const parts = [operation.params, operation.query, operation.body].filter((part): part is ObjectSchema => part)
  const ifMatch = (operation.headers as ObjectSchema | undefined)?.properties?.['If-Match']
  return {
    type: 'object',
    properties: {
      ...Object.assign({}, ...parts.map(({ properties }) => properties)),
      ...(ifMatch && { if_match: ifMatch }),
    },
    required: parts.flatMap(({ required = [] }) => required),
    additionalProperties: false,
  }
}

/** The tools that the principal may call. */
export const toolsFor = (principal: Principal): ToolDefinition[] =>
  [...tools.values()].filter(({ operation }) => isAllowed(principal, operation)).map(({ definition }) => definition)

const isAllowed = (principal: Principal, { scopes, acceptsUploadToken, isOrganizationWide }: AnyOperation) =>
  scopes.every((scope) => hasScope(principal, scope)) &&
  (principal.uploadSessionUuid === undefined || acceptsUploadToken === true) &&
  !(principal.limits && isOrganizationWide)

export type ToolRequest = {
  readonly method: AnyOperation['method']
  readonly url: string
  /** The identifiers in the path. */
  readonly params: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly payload?: Readonly<Record<string, unknown>>
}

type Arguments = Readonly<Record<string, unknown>>

/** The request of the API for a call of the tool. The API validates it. */
export function requestOf({ operation }: Tool, organizationId: OrganizationId, given: Arguments): ToolRequest {
  const { method, body } = operation
  const { if_match: ifMatch, ...fields } = given
  const inPath = namesOf(operation.params)
  const inQuery = body ? namesOf(operation.query) : Object.keys(fields)
  const inBody = Object.keys(fields).filter((name) => !inPath.includes(name) && !inQuery.includes(name))
  const params = Object.fromEntries(inPath.map((name) => [name, segmentOf(textOf(fields[name]))]))
  const path = `${API_PREFIX.replace(':organization_id', organizationId)}${operation.path}`
  const query = inQuery
    .filter((name) => fields[name] !== undefined && !inPath.includes(name))
    .flatMap((name) => [fields[name]].flat().map((value): [string, string] => [name, textOf(value)]))
  return {
    method,
    url: `${path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))}?${new URLSearchParams(query)}`,
    params,
    headers: ifMatch === undefined ? {} : { 'if-match': textOf(ifMatch) },
    ...(body && { payload: Object.fromEntries(inBody.map((name) => [name, fields[name]])) }),
  }
}

/** Without a value, or with dots, the path would be that of another operation. */
const segmentOf = (text: string) => (/^\.*$/.test(text) ? '-' : text)

const namesOf = ({ properties = {} }: ObjectSchema) => Object.keys(properties)

const textOf = (value: unknown): string => {
  if (value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

type ToolResponse = { readonly statusCode: number; readonly etag: string | undefined; readonly text: string }

/** A response of the API as the result of the tool. Agents read the text; programs read the object. */
export function resultOf({ operation }: Tool, { statusCode, etag, text }: ToolResponse): CallToolResult {
  const isError = statusCode >= 400
  const isJson = text !== '' && (isError || !operation.success.mediaTypes)
  const notes = [...(text === '' ? ['Done.'] : []), ...(etag === undefined ? [] : [`Version for if_match: ${etag}`])]
  return {
    content: [...(text === '' ? [] : [text]), ...notes].map((line) => ({ type: 'text', text: line })),
    ...(isJson && { structuredContent: JSON.parse(text) }),
    isError,
  }
}
