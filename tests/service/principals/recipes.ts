/** A request for every operation with the resources of one place. */
import { randomUUID } from 'node:crypto'
import type { Method } from '@reelkeep/testkit'
import { type OperationId, operationOf } from '../errors/every-operation.ts'
import type { Resources } from './places.ts'

type Recipe = {
  readonly body?: (resources: Resources) => unknown
  readonly query?: string
  /** Operations with a higher rank run later, because they end resources. */
  readonly rank?: number
  /** The error code if the body names a place outside; undefined if the body names no place. */
  readonly outside?: string
}

const read: Recipe = {}
const empty: Recipe = { body: () => ({}) }
const chapter = { title: 'Opening', start_time: '00:00:00' }

/** A new operation does not compile until it has a recipe. */
export const recipes: Record<OperationId, Recipe> = {
  createUploadSession: {
    body: ({ folder }) => ({ title: 'x', resolutions: ['360p'], folder }),
    outside: 'target_folder_not_found',
  },
  listUploadSessions: read,
  readUploadSession: read,
  cancelUploadSession: { rank: 2 },
  renewUploadSession: empty,
  signUploadParts: { body: () => ({ file_size_bytes: 20_000_000, numbers: [1] }) },
  listUploadParts: { rank: 1 },
  completeUploadSession: { ...empty, rank: 1 },
  listAssets: read,
  readAsset: read,
  // The beginning of the word that is in all titles and texts outside.
  searchMoments: { query: '?q=zxqvutm' },
  searchAsset: { query: '?q=zxqvutm' },
  updateAsset: { body: () => ({ description: 'x' }) },
  moveAsset: { body: ({ folder }) => ({ folder }), outside: 'asset_not_found' },
  deleteAsset: { rank: 3 },
  restoreAsset: { ...empty, rank: 4 },
  cancelAsset: empty,
  retryAsset: empty,
  readAssetTimeline: read,
  readAssetPlan: read,
  readFrames: { query: '?around=1' },
  createDownload: { body: () => ({ kind: 'mp4' }) },
  readCover: read,
  setCover: { body: () => ({ at_seconds: 1 }) },
  deleteCover: read,
  createCoverUpload: read,
  renderAsset: { body: () => ({ start_seconds: 1, end_seconds: 2 }) },
  createClip: { body: () => ({ start_seconds: 1, end_seconds: 2 }) },
  setTrim: { body: () => ({ start_seconds: 1, end_seconds: 2 }) },
  deleteTrim: read,
  addChapters: { body: () => ({ chapters: [chapter] }) },
  listChapters: read,
  readChapter: read,
  deleteChapter: { rank: 1 },
  editChapter: { body: () => ({ title: 'x' }) },
  replaceChapters: { body: () => ({ chapters: [chapter] }) },
  importChapters: { body: () => ({ format: 'lines', text: '0:00 Opening' }) },
  exportChapters: { query: '?format=webvtt' },
  readFoundChapters: read,
  readChapterProposals: read,
  proposeChapters: read,
  addSubtitle: { body: () => ({ language: 'en', content: 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n' }) },
  listSubtitles: read,
  readSubtitle: read,
  replaceSubtitle: { body: () => ({ content: 'WEBVTT\n\n00:00.000 --> 00:01.000\nGood morning\n' }) },
  deleteSubtitle: { rank: 1 },
  listSubtitleVersions: read,
  readSubtitleVersion: read,
  activateSubtitleVersion: empty,
  createAccessToken: empty,
  listAccessTokens: read,
  readAccessToken: read,
  revokeAccessToken: { rank: 1 },
  revokeAllAccessTokens: read,
  createSigningKey: { body: () => ({ name: 'x' }) },
  listSigningKeys: read,
  deleteSigningKey: read,
  listEvents: { query: '?limit=200' },
  streamEvents: { query: '?after=0' },
  createWebhook: { body: () => ({ url: 'https://receiver.example/' }) },
  listWebhooks: read,
  readWebhook: read,
  updateWebhook: { body: () => ({ description: 'x' }) },
  deleteWebhook: read,
  rotateWebhookSecret: empty,
  testWebhook: empty,
  listDeliveries: read,
  readDelivery: read,
  replayDelivery: empty,
  replayEvents: { body: () => ({ after: 0, before: 1000 }) },
  createFolder: { body: ({ folder }) => ({ title: 'x', parent: folder }), outside: 'parent_not_found' },
  listFolders: read,
  readFolderTree: { query: '?depth=10' },
  readFolder: read,
  updateFolder: { body: () => ({ metadata: { a: 'b' } }) },
  moveFolder: { body: ({ folder }) => ({ parent: folder }), outside: 'folder_not_found' },
  previewFolderDeletion: read,
  deleteFolder: { rank: 5 },
  restoreFolder: { ...empty, rank: 6 },
  listTrash: read,
  createBulkOperation: {
    body: ({ folder, asset }) => ({ action: 'move', folder, ids: [asset], dry_run: true }),
    outside: 'target_folder_not_found',
  },
  listBulkOperations: read,
  readBulkOperation: read,
  cancelBulkOperation: { ...empty, rank: 1 },
  createVersion: empty,
  listVersions: read,
  activateVersion: empty,
  createToken: {
    body: ({ folder }) => ({ name: 'x', scopes: ['assets:read'], folder_uuid: folder }),
    outside: 'target_folder_not_found',
  },
  listTokens: read,
  readCurrentToken: read,
  readToken: read,
  rotateToken: { ...empty, rank: 1 },
  revokeToken: { rank: 2 },
  listMembers: read,
  readCurrentMember: read,
  readMember: read,
  updateMember: { body: () => ({ role: 'viewer' }) },
  removeMember: read,
  createRecoveryLink: empty,
  createInvitation: { body: () => ({ email: 'a@example.org', role: 'viewer' }) },
  listInvitations: read,
  revokeInvitation: read,
  createRole: { body: () => ({ name: 'x', scopes: ['assets:read'] }) },
  listRoles: read,
  readRole: read,
  updateRole: { body: () => ({ name: 'y' }) },
  deleteRole: read,
  listAuditEntries: read,
  exportAuditEntries: read,
  readAuditHead: read,
  readOrganization: read,
  updateOrganization: { body: () => ({ name: 'x' }) },
  readUsage: read,
}

export function requestFor(id: OperationId, resources: Resources) {
  const { method, path } = operationOf(id)
  const { body, query = '' } = recipes[id]
  const folder = id === 'deleteFolder' || id === 'restoreFolder' ? resources.emptyFolder : resources.folder
  const values: Record<string, string> = {
    ':folder_uuid': id === 'moveFolder' ? resources.emptyFolder : folder,
    ':asset_id': resources.asset,
    ':session_uuid': resources.session,
    ':token_id': resources.token,
    ':bulk_operation_id': resources.bulkOperation,
    ':access_token_id': resources.accessToken,
    ':subtitle_id': resources.subtitle,
    ':chapter_id': '1',
    ':version_number': '1',
  }
  const filled = path.slice(1).replace(/:\w+/g, (name) => values[name] ?? randomUUID())
  return { method: method as Method, path: filled + query, body: body?.(resources) }
}

/** The code with which an operation reports that its object does not exist; undefined if its path names none. */
export function notFoundCode(id: OperationId): string | undefined {
  const [, name] = /:(folder_uuid|asset_id|session_uuid|token_id|bulk_operation_id)/.exec(operationOf(id).path) ?? []
  const codes: Record<string, string> = {
    folder_uuid: 'folder_not_found',
    asset_id: 'asset_not_found',
    session_uuid: 'upload_session_not_found',
    token_id: 'token_not_found',
    bulk_operation_id: 'bulk_operation_not_found',
  }
  return name && codes[name]
}
