import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { icons } from '../../../ui/icons.tsx'
import { useVideo } from '../video-context.tsx'
import styles from './edit.module.css'
import { SuggestInput } from './suggest-input.tsx'
import { useMergedSave } from './use-edit.ts'

const TAG_LENGTH_MAX = 64
/** Videos whose tags are suggested: the newest ones. */
const VIDEOS_READ = 100
const SUGGESTIONS_MAX = 8

const isSame = (one: string, other: string) => one.toLocaleLowerCase() === other.toLocaleLowerCase()

/** Tags as chips. Each change is saved at once. */
export function TagsField() {
  const { t } = useLingui()
  const { asset, canEdit } = useVideo()
  const save = useMergedSave()
  const suggest = useSuggestions()
  const remove = (tag: string) => save.mutate(({ tags }) => ({ tags: tags.filter((other) => !isSame(other, tag)) }))
  if (asset.tags.length === 0 && !canEdit) return <p>{t`No tags`}</p>
  return (
    <ul className={styles.tags} aria-label={t`Tags`}>
      {asset.tags.map((tag) => (
        <li key={tag} className={styles.tag}>
          {tag}
          {canEdit && (
            <button
              type="button"
              aria-label={t`Remove tag ${tag}`}
              onClick={({ currentTarget }) => {
                // The button disappears with its tag.
                currentTarget.closest('ul')?.querySelector('input')?.focus()
                remove(tag)
              }}
            >
              {icons.close}
            </button>
          )}
        </li>
      ))}
      {canEdit && (
        <li className={styles.addTag}>
          <SuggestInput
            label={t`Add a tag`}
            lengthMax={TAG_LENGTH_MAX}
            suggest={suggest}
            onAdd={(tag) => save.mutate(({ tags }) => ({ tags: [...tags, tag] }))}
          />
        </li>
      )}
    </ul>
  )
}

/** Returns a function that finds tags of other videos that contain a text. */
function useSuggestions(): (text: string) => readonly string[] {
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  const { data: known = [] } = useQuery({
    queryKey: ['o', organization, 'tags'],
    queryFn: async ({ signal }) => {
      const { results } = await client.assets.list({ fields: 'tags', limit: VIDEOS_READ }, { signal })
      return [...new Set(results.flatMap(({ tags = [] }) => tags))].sort((one, other) => one.localeCompare(other))
    },
  })
  const unused = known.filter((tag) => !asset.tags.some((used) => isSame(used, tag)))
  return (text) => {
    const term = text.trim().toLocaleLowerCase()
    return unused.filter((tag) => tag.toLocaleLowerCase().includes(term)).slice(0, SUGGESTIONS_MAX)
  }
}
