/**
 * Fills an organization with assets by SQL. Bypasses row-level security, so it needs a superuser. Every row is computed
 * from its number, so that every run has the same rows. For a large load, indexes are dropped and rebuilt.
 */
import { foldForSearch, gramsOf } from '@reelkeep/server/kernel/search-text.ts'
import { migrate, resetDatabase, type StackEnv, Superuser, withDatabase } from '@reelkeep/testkit'

/** Number of rows above which rebuilding the indexes is faster than updating them. */
const BULK_ROWS = 100_000
const ROWS_PER_STATEMENT = 500_000

export const LARGE_FOLDER = 'Large111111'
/** The top of a tree with this number of folders. */
export const TREE_TOP = 'treeaaaaaaa'
export const TREE_FOLDERS = 111
export const rareWord = 'xylophone'
/** A word in every eighth title. */
export const commonWord = 'lecture'

const words = [commonWord, 'seminar', 'archive', 'project', 'interview', 'workshop', 'concert', 'festival']
const places = 'Berlin Nairobi Osaka Lima Chennai Oslo Toronto Perth Zürich Málaga Kraków Lyon Porto Quito'.split(' ')
const stems = places.flatMap((place) => words.map((word) => `${place} ${word}`))

/** SQL of the uuid of the folder with this number in the tree. Uuids have no zeros. */
const treeFolder = (number: string) => `'tree' || translate(lpad((${number})::text, 7, '0'), '0', 'a')`

const print = (line: string) => process.stderr.write(`${line}\n`)

export type Seed = {
  readonly organization: string
  readonly count: number
  /** Whether all assets are in LARGE_FOLDER, instead of in many folders and at the root. */
  readonly isInOneFolder?: boolean | undefined
}

/** Creates the database and the organization with this many assets unless they exist. */
export async function seedOnce(env: StackEnv, { organization, count, isInOneFolder }: Seed): Promise<void> {
  if (await exists(env)) await migrate(env)
  else await resetDatabase(env)
  await using superuser = await Superuser.open(env)
  const [row] = await superuser.query<{ assets: string }>(
    'select coalesce(sum(asset_count), 0) as assets from asset_counts where organization_id = $1',
    [organization],
  )
  if (Number(row?.assets) === count) return
  print(`seeding ${count} assets for ${organization}`)
  await seedAssets(superuser, { organization, count, isInOneFolder })
}

async function exists(env: StackEnv): Promise<boolean> {
  await using superuser = await Superuser.open(withDatabase(env, 'postgres'))
  const name = new URL(env.DATABASE_SUPERUSER_URL).pathname.slice(1)
  return (await superuser.query('select from pg_database where datname = $1', [name])).length > 0
}

export async function seedAssets(superuser: Superuser, seed: Seed): Promise<void> {
  const { organization, count, isInOneFolder = false } = seed
  await superuser.query(`set maintenance_work_mem = '1GB'`)
  // Skips foreign key checks and triggers: the rows are correct by construction.
  await superuser.query('set session_replication_role = replica')
  await superuser.query(`insert into organizations (id, name) values ($1, 'Seeded') on conflict do nothing`, [
    organization,
  ])
  await insertFolders(superuser, organization)
  await createStems(superuser, organization)
  const indexes = count >= BULK_ROWS ? await dropIndexes(superuser) : []
  for (let from = 0; from < count; from += ROWS_PER_STATEMENT) {
    const range = [organization, from, Math.min(count, from + ROWS_PER_STATEMENT) - 1]
    for (const statement of [insertAssets(isInOneFolder), insertTags, insertSubtitles, insertChapters]) {
      await superuser.query(statement, range)
    }
    print(`${organization}: ${range[2]} of ${count} assets`)
  }
  for (const definition of indexes) {
    print(definition)
    await superuser.query(definition)
  }
  await superuser.query('insert into asset_counts values ($1, 0, $2)', [organization, count])
  for (const table of ['assets', 'asset_tags', 'asset_counts', 'subtitle_tracks', 'chapters', 'folders']) {
    await superuser.query(`vacuum (analyze) ${table}`)
  }
}

/** A large folder, and a tree of folders with ten children each. */
async function insertFolders(superuser: Superuser, organization: string): Promise<void> {
  await superuser.query(
    `insert into folders (organization_id, uuid, parent_uuid, title, search_title, grams)
     select $1, '${LARGE_FOLDER}', null, 'Large', 'large', '{}'::integer[]
     union all
     select $1, ${treeFolder('number')}, case when number > 0 then ${treeFolder('(number - 1) / 10')} end,
       'Tree', 'tree', '{}'
     from generate_series(0, ${TREE_FOLDERS - 1}) as number
     on conflict do nothing`,
    [organization],
  )
}

/** The titles without their numbers. Searches for a number find nothing, because its grams are not stored. */
async function createStems(superuser: Superuser, organization: string): Promise<void> {
  await superuser.query('create temp table if not exists stems (stem int primary key, title text, grams int[])')
  await superuser.query('truncate stems')
  for (const [number, title] of [...stems, `Oslo ${rareWord}`].entries()) {
    const grams = gramsOf(organization, `${foldForSearch(title)} `)
    await superuser.query('insert into stems values ($1, $2, $3)', [number, title, grams])
  }
}

const idOf = `(lpad(to_hex(1700000000000 + number::bigint * 1000), 12, '0') || '70008000' ||
  lpad(to_hex(number::bigint), 12, '0'))::uuid`

/** A number from 0 to 9,999 in no order, different for each salt. */
const random = (salt: number) => `((hashint8extended(number, ${salt}) & 9223372036854775807) % 10000)`

const inManyFolders = `
    case when ${random(1)} < 3000 then '${LARGE_FOLDER}'
      when ${random(1)} < 5000 then ${treeFolder(`${random(2)} % ${TREE_FOLDERS}`)} end`

const insertAssets = (isInOneFolder: boolean) => `
  insert into assets (organization_id, id, folder_uuid, title, search_title, grams, status, error_code, error_detail,
    resolutions, content_protection_type, generate_subtitle, bytes, source_key, duration_seconds, tags, external_id,
    created_at, updated_at)
  select $1, ${idOf}, ${isInOneFolder ? `'${LARGE_FOLDER}'` : inManyFolders},
    stems.title || ' ' || number, translate(lower(stems.title), 'üáóö', 'uaoo') || ' ' || number, stems.grams,
    status, case when status = 'Error' then 'not_a_video' end, case when status = 'Error' then 'Not a video.' end,
    '{360p}', 'disable', false,
    case when ${random(3)} >= 100 then 1 + hashint8extended(number, 4) & 4294967295 end,
    case when ${random(3)} >= 100 then 'x' end,
    case when ${random(3)} >= 100 then 1 + ${random(5)} * 0.7 end,
    '{}', 'external/' || number,
    to_timestamp(1700000000 + number), to_timestamp(1700000000 + number) + ${random(6)} * interval '1 hour'
  from generate_series($2::bigint, $3::bigint) as number
  cross join lateral (
    select case when ${random(7)} < 10 then 'Error' when ${random(7)} < 100 then 'Queued' else 'Completed' end as status
  ) as state
  join stems on stems.stem = case when number % 400000 = 7 then ${stems.length}
    else ${random(8)} % ${stems.length} end`

/** One tag for a tenth of the assets, one for a hundredth, one for one in a hundred thousand, and one for each course. */
const insertTags = `
  insert into asset_tags (organization_id, asset_id, tag_key)
  select $1, ${idOf}, tag
  from generate_series($2::bigint, $3::bigint) as number
  cross join lateral (values
    (case when ${random(9)} < 1000 then 'tenth' end), (case when ${random(10)} < 100 then 'hundredth' end),
    (case when number % 100000 = 9 then 'rare' end), ('course-' || ${random(11)})
  ) as tags (tag)
  where tag is not null`

const insertSubtitles = `
  insert into subtitle_tracks (organization_id, asset_id, id, language, label, origin, storage_key)
  select $1, ${idOf}, gen_random_uuid(), 'en', 'English', 'uploaded', 'x'
  from generate_series($2::bigint, $3::bigint) as number where ${random(12)} < 500`

const insertChapters = `
  insert into chapters (organization_id, asset_id, id, start_seconds, title)
  select $1, ${idOf}, chapter, chapter, 'Chapter'
  from generate_series($2::bigint, $3::bigint) as number, generate_series(1, 3) as chapter
  where ${random(13)} < 200`

/** Drops the indexes. Returns the statements that create them again. */
async function dropIndexes(superuser: Superuser): Promise<string[]> {
  const rows = await superuser.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes
     where tablename in ('assets', 'asset_tags') and indexname not like '%_pkey'`,
    [],
  )
  for (const { indexname } of rows) await superuser.query(`drop index ${indexname}`)
  return rows.map(({ indexdef }) => indexdef)
}
