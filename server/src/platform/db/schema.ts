import type { ColumnType, Generated } from 'kysely'
import type { FolderUuid, OrganizationId, TokenId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'

/** A time the database writes by itself. */
type Stamped = ColumnType<Timestamp, Timestamp | undefined, Timestamp>

/** The tables as the migrations leave them; `schema.db.test.ts` holds the two together. */
export type Schema = {
  organizations: { id: OrganizationId; name: string; created_at: Stamped }
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
}

type SearchableFolder = {
  organization_id: OrganizationId
  uuid: FolderUuid
  parent_uuid: FolderUuid | null
  title: string
  search_title: string
  grams: number[]
}
