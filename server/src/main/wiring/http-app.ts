import { assets, chapters, clips, covers, folders, operations, subtitles } from '@reelkeep/contract'
import type { FastifyInstance } from 'fastify'
import type { OrganizationId } from '../../kernel/ids.ts'
import { registerAssetRoutes } from '../../modules/assets/assets.routes.ts'
import { registerCoverRoutes } from '../../modules/assets/cover/asset-cover.routes.ts'
import { assetsInFolders } from '../../modules/assets/deletion/asset-deletion.ts'
import { registerAuditRoutes } from '../../modules/audit/audit.routes.ts'
import { recordReport, requestAudit } from '../../modules/audit/request-audit.ts'
import { registerBulkOperationRoutes } from '../../modules/bulk-operations/bulk-operations.routes.ts'
import { registerChapterRoutes } from '../../modules/chapters/chapters.routes.ts'
import { registerClipRoutes } from '../../modules/clips/clips.routes.ts'
import { registerEmbeddingRoutes } from '../../modules/embedding/embedding.routes.ts'
import { embedUrl, readPlayerFiles } from '../../modules/embedding/embedding.ts'
import { registerEventStreamRoutes } from '../../modules/event-stream/event-stream.routes.ts'
import { registerEventRoutes } from '../../modules/events/events.routes.ts'
import { registerFolderRoutes } from '../../modules/folders/folders.routes.ts'
import { invitationSender } from '../../modules/invitations/invitation-mail.ts'
import { registerInvitationRoutes } from '../../modules/invitations/invitations.routes.ts'
import { registerMemberRoutes } from '../../modules/members/members.routes.ts'
import { registerOrganizationRoutes } from '../../modules/organizations/organizations.routes.ts'
import { registerPipelineRoutes } from '../../modules/pipeline/pipeline.routes.ts'
import { describeWait, processingWait } from '../../modules/pipeline/pipeline.ts'
import { registerDownloadRoutes } from '../../modules/playback/downloads/downloads.routes.ts'
import { registerPlaybackRoutes } from '../../modules/playback/playback.routes.ts'
import { registerAccessTokenRoutes } from '../../modules/playback-tokens/playback-tokens.routes.ts'
import { playbackBaseFor } from '../../modules/playback-tokens/playback-tokens.ts'
import { registerRenditionRoutes } from '../../modules/renditions/renditions.routes.ts'
import { registerRoleRoutes } from '../../modules/roles/roles.routes.ts'
import { registerSearchRoutes } from '../../modules/search/search.routes.ts'
import { registerSigningKeyRoutes } from '../../modules/signing-keys/signing-keys.routes.ts'
import { registerSubtitleRoutes } from '../../modules/subtitles/subtitles.routes.ts'
import { registerTokenReports } from '../../modules/tokens/token-reports.routes.ts'
import { registerTokenRoutes } from '../../modules/tokens/tokens.routes.ts'
import { organizationInToken } from '../../modules/tokens/tokens.ts'
import { registerTrashRoutes } from '../../modules/trash/trash.routes.ts'
import { registerUploadSessionRoutes } from '../../modules/upload-sessions/upload-sessions.routes.ts'
import { fileDeadline, formLifetimeMax } from '../../modules/upload-sessions/upload-sessions.ts'
import { registerVersionUploadRoutes } from '../../modules/upload-sessions/version-uploads.routes.ts'
import { registerUsageRoutes } from '../../modules/usage/usage.routes.ts'
import { registerVersionRoutes } from '../../modules/versions/versions.routes.ts'
import { registerDeliveryRoutes } from '../../modules/webhooks/deliveries/webhook-deliveries.routes.ts'
import { registerWebhookRoutes } from '../../modules/webhooks/webhooks.routes.ts'
import { fanOut } from '../../modules/webhooks/webhooks.ts'
import { authenticate } from '../../platform/http/access/authenticate.ts'
import { FailureLimit } from '../../platform/http/access/rate-limits/failure-limit.ts'
import { openRequestLimits } from '../../platform/http/access/rate-limits/request-limits.ts'
import { allowOrigins } from '../../platform/http/cors.ts'
import { registerDashboard } from '../../platform/http/dashboard/dashboard.ts'
import { registerDocs } from '../../platform/http/docs/docs.ts'
import { registerLiveness } from '../../platform/http/health.ts'
import { traceRequests } from '../../platform/http/instrumentation/request-tracing.ts'
import { registerMcp } from '../../platform/http/mcp/mcp.routes.ts'
import { rejectOtherMethods } from '../../platform/http/methods.ts'
import type { Api } from '../../platform/http/route.ts'
import { addSecurityHeaders } from '../../platform/http/security/security-headers.ts'
import { registerSecurityTxt } from '../../platform/http/security/security-txt.ts'
import { openHttpServer } from '../../platform/http/server.ts'
import type { Context } from './context.ts'
import { registerSignIn } from './sign-in.ts'

/** Routes that need nothing but the API. */
const plainRoutes = [
  ...[registerPipelineRoutes, registerRenditionRoutes, registerTrashRoutes],
  ...[registerBulkOperationRoutes, registerUsageRoutes, registerAuditRoutes],
]

/** Operations that delete what viewers request. Those that revoke tokens and keys evict what is known themselves. */
const deletions: ReadonlySet<string> = new Set([
  ...[assets.deleteAsset.id, folders.deleteFolder.id, clips.setTrim.id],
  ...[covers.deleteCover.id, chapters.deleteChapter.id, subtitles.deleteSubtitle.id],
])

/** The complete API server, ready to listen. */
export async function buildHttpApp(context: Context): Promise<FastifyInstance> {
  const { config, database, tokenCache, sessionCache, tokenIssuer, revocations, isStopping } = context
  const docsUrl = `${config.PUBLIC_URL}/docs`
  const http = openHttpServer({
    logger: context.logger,
    metrics: context.requestMetrics,
    docsUrl,
    trustedProxyHops: config.TRUSTED_PROXY_HOPS,
    operations,
    isStopping,
  })
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) traceRequests(http)
  allowOrigins(http, config.API_ORIGINS)
  addSecurityHeaders(http, config.PUBLIC_URL)
  observeResponses(http, context)
  const limits = openRequestLimits(context)
  const failures = new FailureLimit({
    ...{ name: 'failed-authentications', perMinute: config.FAILED_AUTHENTICATIONS_PER_MINUTE },
    problem: 'Too many requests without a valid token or session from this IP address.',
  })
  const api: Api = {
    http,
    publicUrl: config.PUBLIC_URL,
    playbackBaseFor: playbackBaseFor(tokenIssuer, config.PLAYBACK_URL),
    authenticate: authenticate({
      ...{ tokens: tokenCache, sessions: sessionCache, requests: limits, failures },
      origin: new URL(config.PUBLIC_URL).origin,
    }),
    limits,
    databaseFor: ({ organizationId, limits }, record) => database.forRequest(organizationId, { limits, record }),
    audit: requestAudit(context.audit),
  }
  registerUploadRoutes(api, context.uploads)
  const formSecondsMax = formLifetimeMax(context.uploads.limits)
  const waits = { forFile: fileDeadline, forProcessing: processingWait, describeStep: describeWait }
  registerAssetRoutes(api, { formSecondsMax, hasDrm: context.uploads.hasDrm }, waits)
  registerChapterRoutes(api, context)
  registerClipRoutes(api, context.media)
  registerSubtitleRoutes(api, context)
  registerSearchRoutes(
    api,
    ({ organizationId, id }, token) => embedUrl(config.PUBLIC_URL, { organizationId, assetId: id, token }),
    context.meanings,
  )
  registerEventAndWebhookRoutes(api, context)
  registerFolderRoutes(api, assetsInFolders({ formSecondsMax }))
  for (const register of plainRoutes) register(api)
  const evictPrincipals = (organizationId: OrganizationId) => {
    tokenCache.invalidate(organizationId)
    sessionCache.invalidate(organizationId)
  }
  const evictTokens = (organizationId: OrganizationId) => {
    evictPrincipals(organizationId)
    revocations.evict(organizationId)
  }
  registerTokenRoutes(api, evictTokens)
  registerPeopleRoutes(api, context, evictTokens)
  registerOrganizationRoutes(api, { hasDrm: context.uploads.hasDrm, evict: evictPrincipals })
  registerTokenReports(http, database, { onRevoked: evictTokens, recordReport })
  registerAccessTokenRoutes(api, { tokenIssuer, evict: evictTokens, playbackUrl: config.PLAYBACK_URL })
  registerSigningKeyRoutes(api, (organizationId) => revocations.evict(organizationId))
  registerPublicRoutes(api, context)
  registerMcp(api, { version: context.version, organizationInToken })
  rejectOtherMethods(http, operations)
  registerLiveness(http)
  registerPages(http, context)
  return http
}

/** Counts requests, and evicts what is known about an organization after a deletion. */
function observeResponses(http: FastifyInstance, { usage, lastKnown }: Context): void {
  http.addHook('onResponse', async ({ principal, routeOptions }, { statusCode }) => {
    if (!principal) return
    usage.countRequest(principal.organizationId)
    // What was deleted is not served any more, even if the database becomes unavailable now.
    const isDeletion = statusCode < 300 && deletions.has(routeOptions.config.operation ?? '')
    if (isDeletion) lastKnown.evict(principal.organizationId)
  })
}

/** Pages for people who have no API token. */
function registerPages(http: FastifyInstance, { config, version }: Context): void {
  registerSecurityTxt(http, { contact: config.SECURITY_CONTACT, publicUrl: config.PUBLIC_URL })
  registerDashboard(http, {
    folder: config.DASHBOARD_FOLDER,
    storageUrl: config.STORAGE_PUBLIC_ENDPOINT ?? config.STORAGE_ENDPOINT,
    playbackUrl: config.PLAYBACK_URL,
    licenseUrls: Object.values(config.DRM_LICENSE_URLS),
  })
  registerDocs(http, { url: config.PUBLIC_URL, version, folder: config.DOCS_FOLDER })
}

/** Upload sessions of new assets and of further versions. */
function registerUploadRoutes(api: Api, uploads: Context['uploads']): void {
  registerUploadSessionRoutes(api, uploads)
  registerVersionUploadRoutes(api, uploads)
  registerVersionRoutes(api, { formSecondsMax: formLifetimeMax(uploads.limits) })
}

function registerEventAndWebhookRoutes(api: Api, { config, streams }: Context): void {
  registerEventRoutes(api, fanOut)
  registerEventStreamRoutes(api, streams, fanOut)
  const networks = { ports: config.WEBHOOK_PORTS, developmentNetworks: config.WEBHOOK_DEVELOPMENT_NETWORKS }
  registerWebhookRoutes(api, { ring: config.KEY_ENCRYPTION_KEYS, networks })
  registerDeliveryRoutes(api, fanOut)
}

/** Members, their roles and invitations. */
function registerPeopleRoutes(api: Api, context: Context, evict: (organizationId: OrganizationId) => void): void {
  const { mailer } = context
  registerMemberRoutes(api, evict)
  registerInvitationRoutes(api, mailer && invitationSender({ ...context, send: (mail) => mailer.send(mail) }))
  registerRoleRoutes(api, evict)
}

/** Sign-in, and what viewers request without an API token, with the operations that create links to it. */
function registerPublicRoutes(api: Api, context: Context): void {
  const { http } = api
  const { config, database, media, tokenIssuer, uploads } = context
  registerSignIn(http, context)
  registerPlaybackRoutes(http, context)
  registerCoverRoutes(api, context)
  registerDownloadRoutes(api, { uploads, tokenIssuer, playbackUrl: config.PLAYBACK_URL })
  registerEmbeddingRoutes(http, {
    database,
    publicUrl: config.PUBLIC_URL,
    playbackUrl: config.PLAYBACK_URL,
    licenseUrls: Object.values(config.DRM_LICENSE_URLS),
    media,
    player: readPlayerFiles(config.PLAYER_FOLDER),
    publicRequests: context.publicRequests,
    isAuthorized: (embed) => context.authorizer.mayReadMetadata(embed),
  })
}
