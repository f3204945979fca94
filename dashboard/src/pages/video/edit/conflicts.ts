import type { Asset, UpdateAssetBody } from 'reelkeep'

type Editable = Pick<Asset, 'title' | 'description' | 'tags' | 'external_id' | 'metadata' | 'legal_hold'>

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Names of changed fields that have other values in `latest` than in `base`. Keys of the metadata count on their own. */
export function conflictingFields(changes: UpdateAssetBody, base: Editable, latest: Editable): string[] {
  const { metadata = {}, ...fields } = changes
  const names = Object.keys(fields) as (keyof Editable)[]
  return [
    ...names.filter((name) => !isSame(base[name], latest[name])),
    ...Object.keys(metadata).filter((key) => base.metadata[key] !== latest.metadata[key]),
  ]
}
