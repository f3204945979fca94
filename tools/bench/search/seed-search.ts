/**
 * Fills organizations with moments by SQL. Bypasses row-level security and triggers, so it needs a superuser. The texts
 * have the word frequencies of a language (Zipf's law), and every run has the same rows.
 */
import { crc32 } from 'node:zlib'
import { migrate, resetDatabase, type StackEnv, Superuser, withDatabase } from '@reelkeep/testkit'
import { seedAssets } from '../assets/seed-assets.ts'

/** In about every eighth moment. */
export const commonWord = 'time'
/** In about every eleventh moment. */
export const otherCommonWord = 'people'
/** In about one of ten thousand moments. */
export const rareWord = 'xylophone'

/** The words that are left out of the index; the most frequent ones of English. */
const stopWords =
  'the of and to in is that it was for on are as with they be at this have from or had by but some'.split(' ')
const syllables = 'ba ke li mo nu pra ste tri vol win gar sel dom pin qua ros'.split(' ')
const VOCABULARY = 20_000
const TEXTS = 50_000
const WORDS_PER_TEXT = 35
const TEXTS_PER_STATEMENT = 5000

const LARGE_ASSETS = 20_000
/** A title, a description, three chapters and 45 parts of a transcript. */
const MOMENTS_PER_ASSET = 50
const SMALL_ASSETS = 20
const SMALL_MOMENTS_PER_ASSET = 10

export const LARGE = 'benchlarge'
/** Its moments have fingerprints. */
export const MEANING = 'benchmeaning'
const MEANING_ASSETS = 1000
export const MODEL_NAME = 'random'
/** As the service numbers models. */
const MODEL = crc32(MODEL_NAME) | 0
export const smallOrganization = (number: number) => `benchs${number}`
export const LARGE_MOMENTS = LARGE_ASSETS * MOMENTS_PER_ASSET
export const MEANING_MOMENTS = MEANING_ASSETS * MOMENTS_PER_ASSET

const print = (line: string) => process.stderr.write(`${line}\n`)

/** Numbers from 0 to 1 in an order that is the same in every run. */
function randomNumbers(): () => number {
  let state = 42
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function vocabulary(): string[] {
  const word = (number: number): string => {
    const syllable = syllables[number % syllables.length] ?? ''
    return number < syllables.length ? syllable : word(Math.floor(number / syllables.length)) + syllable
  }
  const words = Array.from({ length: VOCABULARY }, (_, number) =>
    number < stopWords.length ? (stopWords[number] ?? '') : word(number + syllables.length ** 2),
  )
  // By their rank: a word at rank r is in about 3.3 / r of the texts.
  words[25] = commonWord
  words[35] = otherCommonWord
  return words
}

function texts(): string[] {
  const random = randomNumbers()
  const words = vocabulary()
  const harmonic = words.reduce((sum, _, rank) => sum + 1 / (rank + 1), 0)
  let sum = 0
  const limits = words.map((_, rank) => {
    sum += 1 / (rank + 1) / harmonic
    return sum
  })
  const draw = () => {
    const number = random()
    let [low, high] = [0, limits.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((limits[middle] ?? 0) < number) low = middle + 1
      else high = middle
    }
    return words[low] ?? ''
  }
  return Array.from({ length: TEXTS }, (_, number) => {
    const drawn = Array.from({ length: WORDS_PER_TEXT }, draw)
    return (number % 10_000 === 77 ? [...drawn, rareWord] : drawn).join(' ')
  })
}

/** Creates the database with the large organization and this number of small ones, unless it exists. */
export async function seedOnce(env: StackEnv, options: { readonly small: number; readonly isLarge: boolean }) {
  const organizations = options.small + (options.isLarge ? 2 : 0)
  if ((await exists(env)) && (await seededOrganizations(env)) === organizations) return migrate(env)
  await resetDatabase(env)
  await using superuser = await Superuser.open(env)
  await seed(superuser, options)
}

/** The configurations of the organizations are written last. */
async function seededOrganizations(env: StackEnv): Promise<number> {
  await using superuser = await Superuser.open(env)
  const [row] = await superuser.query<{ count: string }>(
    `select count(*) from search_configurations where organization_id like 'bench%'`,
  )
  return Number(row?.count)
}

async function exists(env: StackEnv): Promise<boolean> {
  await using superuser = await Superuser.open(withDatabase(env, 'postgres'))
  const name = new URL(env.DATABASE_SUPERUSER_URL).pathname.slice(1)
  return (await superuser.query('select from pg_database where datname = $1', [name])).length > 0
}

async function seed(superuser: Superuser, { small, isLarge }: { small: number; isLarge: boolean }): Promise<void> {
  await superuser.query('set session_replication_role = replica')
  await insertTexts(superuser)
  if (isLarge) {
    for (const [organization, count] of [
      [LARGE, LARGE_ASSETS],
      [MEANING, MEANING_ASSETS],
    ] as const)
      await seedAssets(superuser, { organization, count })
  }
  await insertSmall(superuser, small)
  const indexes = await dropIndexes(superuser)
  if (isLarge) for (const organization of [LARGE, MEANING]) await insertMoments(superuser, organization)
  print(`moments of ${small} small organizations`)
  await superuser.query(insertSmallMoments)
  for (const index of indexes) {
    print(index)
    await superuser.query(index)
  }
  if (isLarge) await superuser.query(insertFingerprints, [MEANING, MODEL])
  for (const table of ['moments', 'moment_embeddings', 'assets', 'organizations'])
    await superuser.query(`vacuum (analyze) ${table}`)
  await superuser.query(
    `insert into search_configurations select id, 'english' from organizations where id like 'bench%'
     on conflict do nothing`,
  )
  await superuser.query('analyze search_configurations')
}

async function insertTexts(superuser: Superuser): Promise<void> {
  await superuser.query('create temp table texts (number int primary key, text text)')
  const all = texts()
  for (let from = 0; from < all.length; from += TEXTS_PER_STATEMENT) {
    await superuser.query(
      'insert into texts select $1 + ordinality, text from unnest($2::text[]) with ordinality as t (text)',
      [from - 1, all.slice(from, from + TEXTS_PER_STATEMENT)],
    )
  }
  await superuser.query('analyze texts')
}

/** The indexes of the words are rebuilt, which is faster than updating them. */
async function dropIndexes(superuser: Superuser): Promise<string[]> {
  await superuser.query(`set maintenance_work_mem = '1GB'`)
  const rows = await superuser.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes where tablename = 'moments' and indexdef like '%gin%'`,
  )
  for (const { indexname } of rows) await superuser.query(`drop index ${indexname}`)
  return rows.map(({ indexdef }) => indexdef)
}

/**
 * Moments of each asset, of which `place` is the number. The texts repeat after 50,000. The moments of an asset are next
 * to each other in the table, as the service writes them.
 */
const columns = `organization_id, asset_id, source, number, kind, start_ms, end_ms, text, language, words`
const kindAt = `case place when 0 then 'title' when 1 then 'description' when 2 then 'chapter' when 3 then 'chapter'
  when 4 then 'chapter' else 'transcript' end`

async function insertMoments(superuser: Superuser, organization: string): Promise<void> {
  print(`moments of ${organization}`)
  await superuser.query(
    `create temp table words as
     select number, text, moment_words($1, 'en', text) as words, moment_words($1, 'en', short) as short_words, short
     from (select *, array_to_string((string_to_array(text, ' '))[10:15], ' ') as short from texts) as texts`,
    [organization],
  )
  await superuser.query(
    `insert into moments (${columns})
     select $1, asset.id, case when kind = 'transcript' then 'a0000000-0000-4000-8000-000000000000' else kind end,
       case when kind in ('title', 'description') then 0 else place end, kind,
       case when kind in ('title', 'description') then 0 else place * 10000 end,
       case when kind = 'transcript' then place * 10000 + 12000 end,
       case when kind = 'transcript' then text else short end, case when kind = 'transcript' then 'en' else '' end,
       case when kind = 'transcript' then words else short_words end
     from (select id, row_number() over (order by id) as index from assets where organization_id = $1) as asset
     cross join generate_series(0, ${MOMENTS_PER_ASSET - 1}) as place
     cross join lateral (select ${kindAt} as kind) as kinds
     join words on words.number = (asset.index * ${MOMENTS_PER_ASSET} + place) * 7919 % ${TEXTS}
     order by asset.index, place`,
    [organization],
  )
  await superuser.query('drop table words')
}

async function insertSmall(superuser: Superuser, count: number): Promise<void> {
  await superuser.query(
    `insert into organizations (id, name)
     select 'benchs' || number, 'Small' from generate_series(1, $1::integer) as number on conflict do nothing`,
    [count],
  )
  await superuser.query(
    `insert into assets (organization_id, id, title, search_title, grams, status, resolutions, content_protection_type,
       generate_subtitle, tags)
     select id, ('00000000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, 'Video', 'video', '{}', 'Completed',
       '{360p}', 'disable', false, '{}'
     from organizations, generate_series(1, ${SMALL_ASSETS}) as number where id like 'benchs%'
     on conflict do nothing`,
  )
}

const insertSmallMoments = `
  insert into moments (${columns})
  select asset.organization_id, asset.id,
    case when kind = 'transcript' then 'a0000000-0000-4000-8000-000000000000' else kind end, place, kind, place * 10000,
    null, text, case when kind = 'transcript' then 'en' else '' end, moment_words(asset.organization_id, 'en', text)
  from (
    select organization_id, id, row_number() over (partition by organization_id order by id) as index
    from assets where organization_id like 'benchs%'
  ) as asset
  cross join generate_series(0, ${SMALL_MOMENTS_PER_ASSET - 1}) as place
  cross join lateral (select ${kindAt} as kind) as kinds
  join texts on texts.number = (asset.index * ${SMALL_MOMENTS_PER_ASSET} + place) * 7919 % ${TEXTS}
  on conflict do nothing`

/** Bits in no order: the time of a comparison does not depend on them. */
const insertFingerprints = `
  insert into moment_embeddings (organization_id, asset_id, source, number, model, fingerprint)
  select organization_id, asset_id, source, number, $2::integer, (
    select 'x' || string_agg(md5(asset_id::text || source || moments.number || part), '') from generate_series(1, 8) as part
  )::bit(1024)
  from moments where organization_id = $1`
