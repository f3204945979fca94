/**
 * Operations whose samples in the API reference have query parameters or a command of the CLI.
 * `tests/docs/api-samples.int.test.ts` runs all samples.
 */

export type Call = {
  /** Arguments of `reelkeep`, if it has a command for the operation. */
  readonly cli?: string
  /** Query parameters of the sample. */
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>
}

export const calls: Readonly<Record<string, Call>> = {
  createUploadSession: { cli: 'sessions create "Lecture 1" --resolutions 360p,720p' },
  listUploadSessions: {
    query: { status: 'Created' },
    cli: 'sessions list --status Created',
  },
  readUploadSession: { cli: 'sessions show "$SESSION_UUID"' },
  cancelUploadSession: { cli: 'sessions cancel "$SESSION_UUID" --yes' },
  renewUploadSession: { cli: 'sessions renew "$SESSION_UUID"' },
  listAssets: {
    query: { status: ['Completed'], order: 'title', limit: 10 },
    cli: 'assets list --status Completed --order title --limit 10',
  },
  readAsset: { cli: 'assets show "$ASSET_ID"' },
  updateAsset: { cli: 'assets rename "$ASSET_ID" "Lecture 1, second cut"' },
  moveAsset: { cli: 'assets move "$ASSET_ID" root' },
  deleteAsset: { cli: 'assets delete "$ASSET_ID" --yes' },
  restoreAsset: { cli: 'assets restore "$ASSET_ID"' },
  listTrash: { cli: 'trash list' },
  createBulkOperation: { cli: 'bulk add-tags archive --status Completed --yes --no-wait' },
  listBulkOperations: { cli: 'bulk list' },
  readBulkOperation: { cli: 'bulk show "$BULK_OPERATION_ID"' },
  cancelBulkOperation: { cli: 'bulk cancel "$BULK_OPERATION_ID"' },
  createVersion: { cli: 'versions upload "$ASSET_ID" lecture.mp4' },
  listVersions: { cli: 'versions list "$ASSET_ID"' },
  activateVersion: { cli: 'versions activate "$ASSET_ID" 1' },
  cancelAsset: { cli: 'assets cancel "$ASSET_ID"' },
  retryAsset: { cli: 'assets retry "$ASSET_ID"' },
  readCover: { cli: 'assets cover "$ASSET_ID"' },
  setCover: { cli: 'assets cover "$ASSET_ID" --at 12.5' },
  createCoverUpload: { cli: 'assets cover "$ASSET_ID" --image cover.png' },
  deleteCover: { cli: 'assets cover "$ASSET_ID" --reset' },
  createDownload: { cli: 'assets download "$ASSET_ID"' },
  readAssetTimeline: { cli: 'assets timeline "$ASSET_ID"' },
  readAssetPlan: { cli: 'assets plan "$ASSET_ID"' },
  addChapters: { cli: 'chapters add "$ASSET_ID" 0:20 Interview' },
  listChapters: { cli: 'chapters list "$ASSET_ID"' },
  deleteChapter: { cli: 'chapters delete "$ASSET_ID" "$CHAPTER_ID" --yes' },
  importChapters: { cli: 'chapters import "$ASSET_ID" chapters.vtt' },
  exportChapters: {
    query: { format: 'webvtt' },
    cli: 'chapters export "$ASSET_ID" --format webvtt',
  },
  addSubtitle: { cli: 'subtitles add "$ASSET_ID" lecture.srt --language de' },
  listSubtitles: { cli: 'subtitles list "$ASSET_ID"' },
  readSubtitle: { cli: 'subtitles show "$ASSET_ID" "$SUBTITLE_ID"' },
  deleteSubtitle: { cli: 'subtitles delete "$ASSET_ID" "$SUBTITLE_ID" --yes' },
  createAccessToken: {
    cli: 'assets link "$ASSET_ID" --viewer customer-42 --expires-in 3600',
  },
  listAccessTokens: { cli: 'access-tokens list "$ASSET_ID"' },
  revokeAccessToken: { cli: 'access-tokens revoke "$ASSET_ID" "$ACCESS_TOKEN_ID" --yes' },
  createSigningKey: { cli: 'signing-keys create Website' },
  listSigningKeys: { cli: 'signing-keys list' },
  deleteSigningKey: { cli: 'signing-keys delete "$SIGNING_KEY_ID" --yes' },
  listEvents: {
    query: { types: 'asset.*', limit: 10 },
    cli: "events list --types 'asset.*' --limit 10",
  },
  streamEvents: { query: { types: 'asset.*' }, cli: "events --follow --types 'asset.*'" },
  createWebhook: {
    cli: "webhooks create https://receiver.example/reelkeep --types 'asset.*'",
  },
  listWebhooks: { cli: 'webhooks list' },
  readWebhook: { cli: 'webhooks show "$WEBHOOK_ID"' },
  updateWebhook: {
    cli: 'webhooks update "$WEBHOOK_ID" --types \'asset.*,upload_session.failed\'',
  },
  deleteWebhook: { cli: 'webhooks delete "$WEBHOOK_ID" --yes' },
  rotateWebhookSecret: { cli: 'webhooks rotate-secret "$WEBHOOK_ID" --overlap 3600' },
  testWebhook: { cli: 'webhooks test "$WEBHOOK_ID"' },
  listDeliveries: {
    query: { state: 'waiting' },
    cli: 'webhooks deliveries "$WEBHOOK_ID" --state waiting',
  },
  readDelivery: { cli: 'webhooks deliveries "$WEBHOOK_ID" "$DELIVERY_ID"' },
  replayDelivery: { cli: 'webhooks replay "$WEBHOOK_ID" "$DELIVERY_ID"' },
  replayEvents: { cli: 'webhooks replay "$WEBHOOK_ID" --after 0 --before 1000' },
  createFolder: { cli: 'folders create Lectures' },
  listFolders: { query: { q: 'lectures' }, cli: 'folders list --query lectures' },
  readFolderTree: { query: { depth: 2 }, cli: 'folders tree --depth 2' },
  readFolder: { cli: 'folders show "$FOLDER_UUID"' },
  updateFolder: { cli: 'folders rename "$FOLDER_UUID" Talks' },
  moveFolder: { cli: 'folders move "$FOLDER_UUID" root' },
  deleteFolder: {
    query: { recursive: true },
    cli: 'folders delete "$FOLDER_UUID" --recursive --yes',
  },
  createToken: { cli: 'tokens create "Catalog reader" --scopes folders:read' },
  listTokens: { cli: 'tokens list' },
  readCurrentToken: { cli: 'tokens current' },
  rotateToken: { cli: 'tokens rotate "$TOKEN_ID" --overlap 60' },
  readOrganization: { cli: 'organization show' },
  updateOrganization: { cli: 'organization update --resolutions 360p,720p --trash-days 14' },
  readUsage: {
    query: { from: '2026-01-01', to: '2026-11-15', by: 'month' },
    cli: 'usage --from 2026-01-01 --to 2026-11-15 --by month',
  },
  revokeToken: { cli: 'tokens revoke "$TOKEN_ID" --yes' },
}
