import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../../../app/organization/organization.tsx'
import styles from './adding.module.css'

type Props = { readonly folder: string | null; readonly onChange: (folder: string | null) => void }

/** Levels of folders in the list. Deeper folders are chosen by opening them in the library. */
const DEPTH_MAX = 3
const FOLDERS_MAX = 300
const INDENT = '\u2003'

/** The folder to which the videos are added. */
export function FolderSelect({ folder, onChange }: Props) {
  const { t } = useLingui()
  const { id, client, can } = useOrganization()
  const isPermitted = can('folders:read')
  const tree = useQuery({
    queryKey: ['o', id, 'upload-folders'],
    queryFn: async () => (await client.folders.tree({ depth: DEPTH_MAX })).results.slice(0, FOLDERS_MAX),
    enabled: isPermitted,
  })
  const listed = tree.data ?? []
  const isListed = folder === null || listed.some(({ uuid }) => uuid === folder)
  const chosen = useQuery({
    queryKey: ['o', id, 'folder', folder],
    queryFn: () => client.folders.read(folder ?? ''),
    enabled: isPermitted && tree.isSuccess && !isListed,
  })
  if (!isPermitted) return null
  return (
    <label className={styles.field}>
      <span>{t`Folder`}</span>
      <select className={styles.select} value={folder ?? ''} onChange={({ target }) => onChange(target.value || null)}>
        <option value="">{t`Top level (no folder)`}</option>
        {!isListed && folder && (
          <option value={folder}>
            {chosen.data ? [...chosen.data.path, chosen.data].map(({ title }) => title).join(' / ') : '…'}
          </option>
        )}
        {listed.map(({ uuid, title, depth }) => (
          <option key={uuid} value={uuid}>
            {INDENT.repeat(depth - 1) + title}
          </option>
        ))}
      </select>
    </label>
  )
}
