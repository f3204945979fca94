import { Kysely, sql } from 'kysely'
import {
  type Adapter,
  type ColumnMetadata,
  generate,
  IdentifierNode,
  ModuleReferenceNode,
  PostgresDialect,
} from 'kysely-codegen'

/** The generated file. A test compares it with the migrated database. */
export const SCHEMA_FILE = 'server/src/platform/db/generated/schema.ts'

/** Column names that are an identifier in every table. */
const identifierColumns: Record<string, string> = {
  organization_id: 'OrganizationId',
  asset_id: 'AssetId',
  folder_uuid: 'FolderUuid',
  parent_uuid: 'FolderUuid',
  webhook_id: 'WebhookId',
  event_id: 'EventId',
  created_by: 'TokenId',
  granted_by: 'TokenId',
  member_id: 'PrincipalId',
}

/** The type of `id` or `uuid` in the tables and views of a resource. */
const ownIdentifiers: Record<string, string> = {
  organizations: 'OrganizationId',
  tokens: 'TokenId',
  members: 'PrincipalId',
  roles: 'RoleId',
  invitations: 'InvitationId',
  assets: 'AssetId',
  searchable_assets: 'AssetId',
  hidden_assets: 'AssetId',
  all_assets: 'AssetId',
  folders: 'FolderUuid',
  searchable_folders: 'FolderUuid',
  subtitle_tracks: 'SubtitleId',
  access_tokens: 'AccessTokenId',
  signing_keys: 'SigningKeyId',
  event_outbox: 'EventId',
  events: 'EventId',
  webhooks: 'WebhookId',
  due_webhooks: 'WebhookId',
  upload_sessions: 'UploadSessionUuid',
  due_upload_sessions: 'UploadSessionUuid',
}

const identifiers = new Set([...Object.values(identifierColumns), ...Object.values(ownIdentifiers)])

const identifierOf = (table: string, column: string) =>
  column === 'id' || column === 'uuid' ? ownIdentifiers[table] : identifierColumns[column]

/** Returns the TypeScript types of all tables and views of the database. */
export async function schemaTypes(connectionString: string): Promise<string> {
  const dialect = postgresWithOurTypes()
  await using db = new Kysely<unknown>({ dialect: await dialect.createKyselyDialect({ connectionString }) })
  const facts = await columnFacts(db)
  return await generate({
    db,
    dialect,
    outFile: null,
    includePattern: 'public.*',
    excludePattern: 'public.schema_migrations',
    typeOnlyImports: true,
    postprocess: async ({ metadata }) => {
      for (const table of metadata.tables)
        for (const column of table.columns) {
          Object.assign(column, facts.get(`${table.name}.${column.name}`))
          column.dataType = identifierOf(table.name, column.name) ?? column.dataType
        }
      return metadata
    },
  })
}

/** Postgres as the service reads it: bigint as a number, times as `Timestamp`, identifiers with types of their own. */
function postgresWithOurTypes() {
  const dialect = new PostgresDialect()
  const { scalars, imports, definitions }: Adapter = dialect.adapter
  const read = (type: string, as: string) => {
    scalars[type.toLowerCase()] = new IdentifierNode(as)
  }
  delete definitions['Timestamp']
  imports['Timestamp'] = new ModuleReferenceNode('../../../kernel/time.ts')
  for (const identifier of identifiers) {
    read(identifier, identifier)
    imports[identifier] = new ModuleReferenceNode('../../../kernel/ids.ts')
  }
  read('int8', 'number')
  read('jsonb', 'object')
  return dialect
}

type Facts = Pick<ColumnMetadata, 'isNullable'> & Partial<Pick<ColumnMetadata, 'hasDefaultValue'>>

/** Facts that kysely-codegen does not read: which columns of a view may be null, and which columns are computed. */
async function columnFacts(db: Kysely<unknown>): Promise<Map<string, Facts>> {
  const { rows } = await sql<{ path: string; isNullable: boolean; isComputed: boolean }>`
    select c.relname || '.' || a.attname as path, a.attgenerated <> '' as "isComputed",
      -- Postgres does not record whether a view's column may be null; the underlying column does.
      not coalesce(origin.attnotnull, a.attnotnull) as "isNullable"
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    left join pg_attribute origin on c.relkind = 'v' and origin.attname = a.attname
      and origin.attrelid = (select refobjid from pg_depend d join pg_rewrite r on r.oid = d.objid
        where r.ev_class = c.oid and d.refobjsubid > 0
          -- Views of due rows exclude suspended organizations; they select no column of that table.
          and d.refobjid <> 'held_organizations'::regclass limit 1)
    where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped`.execute(db)
  return new Map(
    rows.map(({ path, isNullable, isComputed }) => [
      path,
      { isNullable, ...(isComputed && { hasDefaultValue: true }) },
    ]),
  )
}
