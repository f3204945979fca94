/**
 * How each operation is called with the SDK and on the command line. The samples of the API reference are built from
 * this table; `tests/docs/api-samples.int.test.ts` runs all of them. `tests/architecture/sdk-methods.test.ts` compares
 * the requests of the SDK methods with the contract.
 */

export type Call = {
  /** Method of the SDK client. */
  readonly sdk: string
  /** Arguments of `reelkeep`, if it has a command for the operation. */
  readonly cli?: string
  /** Query parameters of the sample. */
  readonly query?: Readonly<Record<string, string | number | boolean>>
}

export const calls: Readonly<Record<string, Call>> = {
  createUploadSession: { sdk: 'uploadSessions.create' },
  listUploadSessions: {
    sdk: 'uploadSessions.list',
    query: { status: 'Created' },
    cli: 'sessions list --status Created',
  },
  readUploadSession: { sdk: 'uploadSessions.read', cli: 'sessions show "$SESSION_UUID"' },
  cancelUploadSession: { sdk: 'uploadSessions.cancel', cli: 'sessions cancel "$SESSION_UUID" --yes' },
  renewUploadSession: { sdk: 'uploadSessions.renew', cli: 'sessions renew "$SESSION_UUID"' },
  signUploadParts: { sdk: 'uploadSessions.signParts' },
  listUploadParts: { sdk: 'uploadSessions.listParts' },
  completeUploadSession: { sdk: 'uploadSessions.complete' },
  listAssets: {
    sdk: 'assets.list',
    query: { status: 'Completed', limit: 10 },
    cli: 'assets list --status Completed --limit 10',
  },
  readAsset: { sdk: 'assets.read', cli: 'assets show "$ASSET_ID"' },
  renameAsset: { sdk: 'assets.rename', cli: 'assets rename "$ASSET_ID" "Lecture 1, second cut"' },
  moveAsset: { sdk: 'assets.move', cli: 'assets move "$ASSET_ID" root' },
  deleteAsset: { sdk: 'assets.delete', cli: 'assets delete "$ASSET_ID" --yes' },
  cancelAsset: { sdk: 'assets.cancel', cli: 'assets cancel "$ASSET_ID"' },
  retryAsset: { sdk: 'assets.retry', cli: 'assets retry "$ASSET_ID"' },
  readAssetTimeline: { sdk: 'assets.readTimeline', cli: 'assets timeline "$ASSET_ID"' },
  readAssetPlan: { sdk: 'assets.readPlan', cli: 'assets plan "$ASSET_ID"' },
  addChapters: { sdk: 'chapters.add', cli: 'chapters add "$ASSET_ID" 0:20 Interview' },
  listChapters: { sdk: 'chapters.list', cli: 'chapters list "$ASSET_ID"' },
  deleteChapter: { sdk: 'chapters.delete', cli: 'chapters delete "$ASSET_ID" "$CHAPTER_ID" --yes' },
  editChapter: { sdk: 'chapters.edit' },
  replaceChapters: { sdk: 'chapters.replace' },
  importChapters: { sdk: 'chapters.import', cli: 'chapters import "$ASSET_ID" chapters.vtt' },
  exportChapters: {
    sdk: 'chapters.export',
    query: { format: 'webvtt' },
    cli: 'chapters export "$ASSET_ID" --format webvtt',
  },
  readFoundChapters: { sdk: 'chapters.readFound' },
  addSubtitle: { sdk: 'subtitles.add', cli: 'subtitles add "$ASSET_ID" lecture.srt --language de' },
  listSubtitles: { sdk: 'subtitles.list', cli: 'subtitles list "$ASSET_ID"' },
  readSubtitle: { sdk: 'subtitles.read', cli: 'subtitles show "$ASSET_ID" "$SUBTITLE_ID"' },
  deleteSubtitle: { sdk: 'subtitles.delete', cli: 'subtitles delete "$ASSET_ID" "$SUBTITLE_ID" --yes' },
  createAccessToken: {
    sdk: 'accessTokens.create',
    cli: 'assets link "$ASSET_ID" --viewer customer-42 --expires-in 3600',
  },
  listAccessTokens: { sdk: 'accessTokens.list', cli: 'access-tokens list "$ASSET_ID"' },
  readAccessToken: { sdk: 'accessTokens.read' },
  revokeAccessToken: { sdk: 'accessTokens.revoke', cli: 'access-tokens revoke "$ASSET_ID" "$ACCESS_TOKEN_ID" --yes' },
  revokeAllAccessTokens: { sdk: 'accessTokens.revokeAll' },
  createSigningKey: { sdk: 'signingKeys.create', cli: 'signing-keys create Website' },
  listSigningKeys: { sdk: 'signingKeys.list', cli: 'signing-keys list' },
  deleteSigningKey: { sdk: 'signingKeys.delete', cli: 'signing-keys delete "$SIGNING_KEY_ID" --yes' },
  listEvents: {
    sdk: 'events.list',
    query: { types: 'asset.*', limit: 10 },
    cli: "events list --types 'asset.*' --limit 10",
  },
  streamEvents: { sdk: 'events.stream', query: { types: 'asset.*' }, cli: "events --follow --types 'asset.*'" },
  createWebhook: {
    sdk: 'webhooks.create',
    cli: "webhooks create https://receiver.example/reelkeep --types 'asset.*'",
  },
  listWebhooks: { sdk: 'webhooks.list', cli: 'webhooks list' },
  readWebhook: { sdk: 'webhooks.read', cli: 'webhooks show "$WEBHOOK_ID"' },
  updateWebhook: {
    sdk: 'webhooks.update',
    cli: 'webhooks update "$WEBHOOK_ID" --types \'asset.*,upload_session.failed\'',
  },
  deleteWebhook: { sdk: 'webhooks.delete', cli: 'webhooks delete "$WEBHOOK_ID" --yes' },
  rotateWebhookSecret: { sdk: 'webhooks.rotateSecret', cli: 'webhooks rotate-secret "$WEBHOOK_ID" --overlap 3600' },
  testWebhook: { sdk: 'webhooks.test', cli: 'webhooks test "$WEBHOOK_ID"' },
  listDeliveries: {
    sdk: 'webhookDeliveries.list',
    query: { state: 'waiting' },
    cli: 'webhooks deliveries "$WEBHOOK_ID" --state waiting',
  },
  readDelivery: { sdk: 'webhookDeliveries.read', cli: 'webhooks deliveries "$WEBHOOK_ID" "$DELIVERY_ID"' },
  replayDelivery: { sdk: 'webhookDeliveries.replay', cli: 'webhooks replay "$WEBHOOK_ID" "$DELIVERY_ID"' },
  replayEvents: { sdk: 'webhooks.replay', cli: 'webhooks replay "$WEBHOOK_ID" --after 0 --before 1000' },
  createFolder: { sdk: 'folders.create', cli: 'folders create Lectures' },
  listFolders: { sdk: 'folders.list', query: { q: 'lectures' }, cli: 'folders list --query lectures' },
  readFolderTree: { sdk: 'folders.tree', query: { depth: 2 }, cli: 'folders tree --depth 2' },
  readFolder: { sdk: 'folders.read', cli: 'folders show "$FOLDER_UUID"' },
  renameFolder: { sdk: 'folders.rename', cli: 'folders rename "$FOLDER_UUID" Talks' },
  moveFolder: { sdk: 'folders.move', cli: 'folders move "$FOLDER_UUID" root' },
  previewFolderDeletion: { sdk: 'folders.previewDeletion' },
  deleteFolder: {
    sdk: 'folders.delete',
    query: { recursive: true },
    cli: 'folders delete "$FOLDER_UUID" --recursive --yes',
  },
  createToken: { sdk: 'tokens.create', cli: 'tokens create "Catalog reader" --scopes folders:read' },
  listTokens: { sdk: 'tokens.list', cli: 'tokens list' },
  readCurrentToken: { sdk: 'tokens.readCurrent', cli: 'tokens current' },
  readToken: { sdk: 'tokens.read' },
  rotateToken: { sdk: 'tokens.rotate', cli: 'tokens rotate "$TOKEN_ID" --overlap 60' },
  revokeToken: { sdk: 'tokens.revoke', cli: 'tokens revoke "$TOKEN_ID" --yes' },
}
