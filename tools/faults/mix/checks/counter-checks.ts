/** Compares counters, usage and quotas with the rows that they count. */
import type { Caller, Superuser } from '@reelkeep/testkit'

type CounterRow = {
  readonly what: string
  readonly organization: string
  readonly counted: number
  readonly rows: number
}

/** One row for each counter of each organization. */
const counters = `
  with counted as (
    select 'folders' as what, organization_id, sum(folder_count) as value from folder_counts group by 2
    union all
    select 'folders at the root', organization_id, sum(root_count) from folder_counts group by 2
    union all
    select 'assets', organization_id, sum(asset_count) from asset_counts group by 2
    union all
    select 'stored bytes', organization_id, sum(stored_bytes) from usage_counts group by 2
    union all
    select 'stored bytes by day', organization_id, sum(stored_bytes) from usage_days group by 2
    union all
    select 'bytes of renditions by day', organization_id, sum(rendition_bytes) from usage_days group by 2
    union all
    select 'assets by day', organization_id, sum(assets) from usage_days group by 2
  ),
  stored as (
    select organization_id, coalesce(own_bytes, bytes, 0) as bytes from assets
    union all
    select organization_id, bytes from renditions
  ),
  actual as (
    select 'folders' as what, organization_id, count(*) as value from folders where deleted_at is null group by 2
    union all
    select 'folders at the root', organization_id, count(*) from folders where deleted_at is null and parent_uuid is null group by 2
    union all
    select unnest(array['assets', 'assets by day']), organization_id, count(*) from assets where is_listed group by 2
    union all
    select unnest(array['stored bytes', 'stored bytes by day']), organization_id, sum(bytes) from stored group by 2
    union all
    select 'bytes of renditions by day', organization_id, sum(bytes) from renditions group by 2
  )
  select what, organization_id as organization, coalesce(counted.value, 0)::float8 as counted,
    coalesce(actual.value, 0)::float8 as rows
  from counted full join actual using (what, organization_id)`

export type CheckResult = { readonly checked: number; readonly violations: readonly string[] }

export async function checkCounters(superuser: Superuser): Promise<CheckResult> {
  const rows = await superuser.query<CounterRow>(counters)
  const wrong = rows.filter(({ counted, rows: actual }) => counted !== actual)
  const violations = wrong.map(
    ({ what, organization, counted, rows: actual }) => `${organization} counts ${counted} ${what}, but has ${actual}`,
  )
  return { checked: rows.length, violations }
}

type Page = {
  readonly count: number
  readonly next: string | null
  readonly results: readonly { id?: string; uuid?: string }[]
}

/** Walks the lists of folders and assets: each must have as many entries as its count says, and none twice. */
export async function checkLists(caller: Caller): Promise<CheckResult> {
  const violations: string[] = []
  let checked = 0
  for (const path of ['assets/folders/?limit=100', 'assets/?limit=100']) {
    const seen: string[] = []
    let page = (await caller.get<Page>(path)).body
    const { count } = page
    for (;;) {
      seen.push(...page.results.map(({ id, uuid }) => id ?? uuid ?? ''))
      if (page.next === null) break
      page = (await caller.get<Page>(page.next)).body
    }
    checked += seen.length
    if (seen.length !== count) violations.push(`${path} counts ${count} and lists ${seen.length}`)
    if (new Set(seen).size < seen.length) violations.push(`${path} lists an entry twice`)
  }
  return { checked, violations }
}
