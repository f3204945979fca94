import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type {
  AccessTokenId,
  AssetId,
  EventId,
  FolderUuid,
  OrganizationId,
  SigningKeyId,
  SubtitleId,
  TokenId,
  UploadSessionUuid,
  WebhookId,
} from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'

/** A time with a default in the database. */
type Stamped = ColumnType<Timestamp, Timestamp | undefined, Timestamp>

/** The tables after all migrations. `schema.int.test.ts` compares this type with the database. */
export type Schema = {
  organizations: {
    id: OrganizationId
    name: string
    content_protection_type: Generated<string>
    is_open: Generated<boolean>
    embed_origins: Generated<string[]>
    webhook_networks: Generated<string[]>
    created_at: Stamped
    playback_epoch: Generated<number>
    playback_epoch_since: Timestamp | null
    quota_stored_bytes: number | null
    quota_assets: number | null
    quota_encoded_minutes: number | null
    quota_open_sessions: number | null
  }
  held_organizations: {
    organization_id: OrganizationId
    since: Stamped
    why: Generated<string>
    is_gone: GeneratedAlways<boolean>
    led_here_since: Timestamp | null
  }
  standing_holds: {
    since: Timestamp | null
    is_gone: boolean | null
  }
  tokens: {
    organization_id: OrganizationId
    id: TokenId
    name: string
    token_hash: Buffer
    scopes: string[]
    created_at: Stamped
    expires_at: Timestamp | null
    retires_at: Timestamp | null
    revoked_at: Timestamp | null
    last_used_at: Timestamp | null
    created_by: TokenId | null
    has_revoked_descendants: Generated<boolean>
  }
  idempotency_keys: {
    organization_id: OrganizationId
    key: string
    request_hash: Buffer
    answer: Buffer
    created_at: Stamped
  }
  folders: SearchableFolder & { created_at: Stamped; updated_at: Stamped }
  folder_counts: {
    organization_id: OrganizationId
    slot: Generated<number>
    folder_count: number
    root_count: number
  }
  searchable_folders: SearchableFolder
  assets: SearchableAsset & {
    title: string
    error_code: string | null
    error_detail: string | null
    resolutions: string[]
    content_protection_type: string
    generate_subtitle: boolean
    bytes: number | null
    source_key: string | null
    source_version: string | null
    source_etag: string | null
    playable_at: Timestamp | null
    cover_key: string | null
    thumbnail_keys: Generated<string[]>
    storyboard_key: string | null
    duration_seconds: number | null
    width: number | null
    height: number | null
    created_at: Stamped
    updated_at: Stamped
  }
  usage_counts: {
    organization_id: OrganizationId
    month: string
    slot: number
    stored_bytes: Generated<number>
    encoded_seconds: Generated<number>
  }
  asset_counts: { organization_id: OrganizationId; slot: Generated<number>; asset_count: number }
  asset_happenings: {
    organization_id: OrganizationId
    asset_id: AssetId
    number: number
    at: Stamped
    what: string
    detail: string
  }
  asset_probes: { organization_id: OrganizationId; asset_id: AssetId; probe: object }
  searchable_assets: SearchableAsset
  chapter_sets: { organization_id: OrganizationId; asset_id: AssetId; last_id: Generated<number> }
  chapters: {
    organization_id: OrganizationId
    asset_id: AssetId
    id: number
    start_seconds: number
    title: string
  }
  subtitle_tracks: {
    organization_id: OrganizationId
    asset_id: AssetId
    id: SubtitleId
    language: string
    label: string
    origin: string
    storage_key: string
    created_at: Stamped
  }
  access_tokens: {
    organization_id: OrganizationId
    asset_id: AssetId
    id: AccessTokenId
    viewer_id: string | null
    is_single_use: boolean
    referrers: string[]
    networks: string[]
    watermark: string | null
    created_at: Stamped
    expires_at: Timestamp
    revoked_at: Timestamp | null
    created_by: TokenId | null
    playback_epoch: Generated<number>
  }
  signing_keys: {
    organization_id: OrganizationId
    id: SigningKeyId
    name: string
    public_key: Buffer
    created_at: Stamped
    created_by: TokenId | null
    expires_at: Timestamp | null
  }
  spent_passes: {
    organization_id: OrganizationId
    jti: string
    spent_at: Stamped
    expires_at: Timestamp
  }
  event_outbox: {
    organization_id: OrganizationId
    position: Generated<string>
    id: Generated<EventId>
    type: string
    asset_id: AssetId | null
    subject: string
    data: object
    created_at: Stamped
    traceparent: string | null
  }
  event_logs: { organization_id: OrganizationId; last_number: Generated<number> }
  events: {
    organization_id: OrganizationId
    number: number
    numbered_at: Stamped
    id: EventId
    type: string
    asset_id: AssetId | null
    subject: string
    data: object
    data_bytes: GeneratedAlways<number>
    created_at: Timestamp
    traceparent: string | null
  }
  organizations_with_unnumbered_events: {
    organization_id: OrganizationId
    since: Timestamp | null
  }
  webhooks: {
    organization_id: OrganizationId
    id: WebhookId
    url: string
    description: string
    types: string[]
    secret: Buffer
    secret_key_id: string
    previous_secret: Buffer | null
    previous_secret_key_id: string | null
    previous_secret_until: Timestamp | null
    created_at: Stamped
    updated_at: Stamped
    disabled_at: Timestamp | null
    disabled_because: string | null
    failing_since: Timestamp | null
    silences: Generated<number>
    rests_until: Timestamp | null
    due_at: Timestamp | null
    wakes: Generated<number>
    worker_id: string | null
    created_by: TokenId | null
    granted_by: TokenId | null
    expires_at: Timestamp | null
  }
  webhook_deliveries: {
    organization_id: OrganizationId
    webhook_id: WebhookId
    number: number
    numbered_at: Timestamp
    event_id: EventId
    type: string
    subject: string
    state: Generated<string>
    attempts: Generated<number>
    refusals: Generated<number>
    created_at: Stamped
    due_at: Timestamp | null
    ended_at: Timestamp | null
  }
  webhook_attempts: {
    organization_id: OrganizationId
    webhook_id: WebhookId
    number: number
    numbered_at: Timestamp
    attempt: number
    at: Timestamp
    url: string
    milliseconds: number
    status: number | null
    answer: string | null
    error: string | null
  }
  due_webhooks: {
    organization_id: OrganizationId
    id: WebhookId
    due_at: Timestamp | null
    worker_id: string | null
  }
  upload_sessions: {
    organization_id: OrganizationId
    uuid: UploadSessionUuid
    asset_id: AssetId
    status: Generated<string>
    error_code: string | null
    error_detail: string | null
    max_file_size_bytes: number
    expires_at: Timestamp
    closes_at: Timestamp
    multipart_upload_id: string | null
    multipart_bytes: number | null
    look_at: Timestamp | null
    created_at: Stamped
    ended_at: Timestamp | null
    traceparent: string | null
  }
  due_upload_sessions: {
    organization_id: OrganizationId
    uuid: UploadSessionUuid
    look_at: Timestamp | null
  }
  pipelines: {
    organization_id: OrganizationId
    asset_id: AssetId
    run: number
    last_token: Generated<number>
  }
  pipeline_steps: {
    organization_id: OrganizationId
    asset_id: AssetId
    step: string
    part: Generated<string>
    queue: string
    state: string
    token: number | null
    takes: Generated<number>
    beat_at: Timestamp | null
    due_at: Timestamp
    under_way: Record<string, number> | null
  }
  due_pipeline_steps: {
    organization_id: OrganizationId
    asset_id: AssetId
    step: string
    is_overdue: boolean | null
    since: Timestamp | null
    part: string
  }
  asset_plans: { organization_id: OrganizationId; asset_id: AssetId; plan: object }
  renditions: {
    organization_id: OrganizationId
    asset_id: AssetId
    name: string
    width: number | null
    height: number | null
    bitrate_max: number
    segments_total: number
    segments_done: Generated<number>
    bytes: Generated<number>
    codecs: string | null
    init_key: string | null
    init_hash: Buffer | null
  }
  rendition_parts: {
    organization_id: OrganizationId
    asset_id: AssetId
    rendition: string
    first_segment: number
    prefix: string
    segments: object
  }
  organization_master_keys: {
    organization_id: OrganizationId
    generation: number
    key_encryption_id: string
    wrapped: Buffer
    created_at: Stamped
  }
  asset_drm: {
    organization_id: OrganizationId
    asset_id: AssetId
    provider: string
    scheme: string
    pssh: object
    signalling: object
    fingerprint: string
  }
  asset_protections: { organization_id: OrganizationId; asset_id: AssetId; generation: number }
  organizations_with_old_answers: { organization_id: OrganizationId }
  worker_leases: {
    worker_id: string
    seen_at: Timestamp
    steady_since: Timestamp
    queues: string[] | null
    lease_seconds: number
  }
  schedules: { name: string; due_at: Timestamp; worker_id: string | null }
}

type SearchableAsset = {
  organization_id: OrganizationId
  id: AssetId
  folder_uuid: FolderUuid | null
  status: Generated<string>
  search_title: string
  grams: number[]
}

type SearchableFolder = {
  organization_id: OrganizationId
  uuid: FolderUuid
  parent_uuid: FolderUuid | null
  title: string
  search_title: string
  grams: number[]
}
