import type { Organization, UpdateOrganizationBody } from 'reelkeep'

type Resolution = NonNullable<Organization['default_resolutions']>[number]

export const resolutions: readonly Resolution[] = ['240p', '360p', '480p', '540p', '720p', '1080p']

/** The settings in the form that differ from the current ones; undefined if the value is empty. */
export function changesIn(values: FormData, current: Organization): UpdateOrganizationBody | undefined {
  const text = (name: string) => String(values.get(name) ?? '').trim()
  const chosen = values.getAll('resolutions').map(String) as Resolution[]
  const entered = {
    name: text('name'),
    default_content_protection_type: text('protection') as Organization['default_content_protection_type'],
    default_resolutions: chosen.length === 0 ? null : chosen,
    trash_days: Number(text('trash_days')),
    abandoned_days: Number(text('abandoned_days')),
    versions_kept: Number(text('versions_kept')),
    allowed_embed_origins: text('origins').split(/\s+/).filter(Boolean),
  }
  const changes = Object.entries(entered).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(current[name as keyof Organization]),
  )
  return changes.length === 0 ? undefined : (Object.fromEntries(changes) as UpdateOrganizationBody)
}
